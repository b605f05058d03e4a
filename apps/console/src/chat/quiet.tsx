import { type ReactNode, useContext } from 'react'
import { NearContext } from '../off-screen/near-context.ts'

/**
 * Visible while its message has the pointer or the focus. Always visible on touch screens and on small screens. Empty in
 * messages that are far from the screen.
 */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return <span className="quiet flex items-center">{useContext(NearContext) && children}</span>
}

/**
 * Visible only while a message can be sent. CSS decides that by an attribute of its section (see section-box.tsx), so that
 * no message has to be drawn again when an answer begins or ends.
 */
export function WhenReady({ children }: { readonly children: ReactNode }) {
  return <span className="when-ready flex">{children}</span>
}
