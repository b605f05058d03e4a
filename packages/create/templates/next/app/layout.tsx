import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import '../page/style.css'

export const metadata: Metadata = { title: '__NAME__', icons: 'data:,' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
