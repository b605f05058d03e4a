import type { ReactNode } from 'react'

/** Seen when its message is pointed at or in focus; always where nothing can be pointed at, or there is little room. */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return <span className="quiet flex items-center">{children}</span>
}

/**
 * There only while the chat would take a message. Told by the list around it, so that no message has to be drawn
 * again when an answer begins or ends.
 */
export function WhenReady({ children }: { readonly children: ReactNode }) {
  return <span className="when-ready flex">{children}</span>
}
