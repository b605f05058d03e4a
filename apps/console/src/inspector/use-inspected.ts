import type { ChatId } from '@throughline/protocol'
import { useCallback, useEffect, useState } from 'react'
import { typesLetter, useKeys } from '../browser/use-keys.ts'

export interface Inspected {
  readonly isOpen: boolean
  /** The answer to look at; `undefined` for the whole chat. */
  readonly messageId: string | undefined
  open(messageId?: string): void
  close(): void
}

const storageKey = 'throughline.inspected'
const wholeChat = '*'

/**
 * Returns whether the inspector of a chat is open, and for which answer. Alt+I opens and closes it, Escape closes it. It
 * stays open when the page is reloaded.
 */
export function useInspected(chatId: ChatId): Inspected {
  // The chat and the answer, with a space between them: neither id can have one.
  const [inspected, setInspected] = useState(() => sessionStorage.getItem(storageKey) ?? '')
  const isOpen = inspected.startsWith(`${chatId} `)
  const answer = isOpen ? inspected.slice(chatId.length + 1) : wholeChat
  useEffect(() => sessionStorage.setItem(storageKey, inspected), [inspected])
  const open = useCallback((messageId = wholeChat) => setInspected(`${chatId} ${messageId}`), [chatId])
  const close = useCallback(() => setInspected(''), [])
  useKeys(event => {
    if (event.defaultPrevented || event.isComposing) return
    // By the place of the key: with Alt, some keyboards type another letter.
    if (event.altKey && event.code === 'KeyI' && !typesLetter(event)) {
      event.preventDefault()
      isOpen ? close() : open()
    } else if (isOpen && event.key === 'Escape') close()
  })
  return { isOpen, messageId: answer === wholeChat ? undefined : answer, open, close }
}

/** Lets the inspector be open for an answer when the person comes to its chat. */
export function rememberInspected(chatId: ChatId, messageId: string): void {
  sessionStorage.setItem(storageKey, `${chatId} ${messageId}`)
}
