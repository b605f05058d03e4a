import { lazy, Suspense, useEffect, useState } from 'react'
import type { AskedLink } from './link-question.tsx'

// Loaded with the first link that may mislead.
const load = () => import('./link-question.tsx')
const LinkQuestion = lazy(async () => ({ default: (await load()).LinkQuestion }))

/** Asks before the browser follows a link that may mislead, wherever on the page it is. */
export function LinkGuard() {
  const [asked, setAsked] = useState<AskedLink>()
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      // The right button opens a menu, in which the browser shows the address.
      if (link === null || event.button === 2 || isPlain(link)) return
      event.preventDefault()
      const { href, innerText: text } = link
      load().then(
        ({ examine }) => setAsked(examine(text, href)),
        // The server is away. The browser's own question shows where the link leads.
        () => confirm(href) && open(href, '_blank', 'noopener,noreferrer'),
      )
    }
    // The middle button opens a new tab: that is no `click`.
    const types = ['click', 'auxclick'] as const
    for (const type of types) addEventListener(type, onClick, true)
    return () => {
      for (const type of types) removeEventListener(type, onClick, true)
    }
  }, [])
  return asked === undefined ? null : (
    <Suspense>
      <LinkQuestion link={asked} onClose={() => setAsked(undefined)} />
    </Suspense>
  )
}

/** Returns whether nothing about a link needs a closer look: its text names no host, and its address is a plain one. */
function isPlain({ origin, href, username, hostname, innerText: text }: HTMLAnchorElement): boolean {
  if (origin === location.origin) return true
  const isUsual = username === '' && !hostname.includes('xn--')
  return isUsual && (text === href || !/[.。]/.test(text.normalize('NFKC')))
}
