import type { ChatSnapshot } from '@throughline/client'
import { useEffect, useMemo, useState } from 'react'
import { useSettings } from '../settings/settings.tsx'
import { announcerWords } from './announcer-words.ts'
import { createNews } from './news.ts'

/** How many lines stay in the page. A screen reader has read the others long ago. */
const maxLines = 30

/**
 * Tells people who do not see the page what happens in a chat: every sentence of an answer when it is complete, what
 * waits for them, what failed, and the end of the answer.
 */
export function Announcer({ chat }: { readonly chat: ChatSnapshot }) {
  const { language } = useSettings()
  const news = useMemo(createNews, [])
  const [lines, setLines] = useState<readonly Line[]>([])
  const { messages, status } = chat
  useEffect(() => {
    const texts = news({ messages, status }, announcerWords[language])
    if (texts.length === 0) return
    setLines(known => {
      const next = (known.at(-1)?.number ?? 0) + 1
      return [...known, ...texts.map((text, index) => ({ number: next + index, text }))].slice(-maxLines)
    })
  }, [news, messages, status, language])
  return (
    <div role="log" aria-live="polite" className="sr-only">
      {lines.map(({ number, text }) => (
        <p key={number}>{text}</p>
      ))}
    </div>
  )
}

interface Line {
  readonly number: number
  readonly text: string
}
