import type { MouseEvent, ReactNode } from 'react'
import type { PageRoute } from './route.ts'
import { hrefOf } from './use-route.ts'

interface Props {
  readonly route: PageRoute
  readonly onGo: (route: PageRoute) => void
  readonly className?: string
  readonly children: ReactNode
}

/** A link to another page of the console. The page changes without being loaded again. */
export function PageLink({ route, onGo, className, children }: Props) {
  const onClick = (event: MouseEvent) => {
    // With these keys, the browser opens the link in a new tab or a new window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onGo(route)
  }
  return (
    <a href={hrefOf(route)} onClick={onClick} className={className}>
      {children}
    </a>
  )
}
