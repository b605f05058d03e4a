import type { ChatError, Outbox } from '@throughline/client'
import type { AgentChat } from '@throughline/client/react'
import { textOf } from '@throughline/protocol'
import { useEffect, useState } from 'react'
import type { Draft } from './use-draft.ts'

/**
 * Puts a message that has waited for the server, and that the server then refuses for good, back into the draft, if that
 * is empty. Returns why it was refused, until the person writes on. Any other message that is refused stays in its place:
 * the person has just sent it and sees it there.
 */
export function useRefusal(
  { unsent, messages, discard }: AgentChat,
  draft: Draft,
  outbox: Outbox,
): ChatError | undefined {
  const [waited] = useState(() => new Set(outbox.load().map(({ message }) => message.id)))
  const [refusal, setRefusal] = useState<{ readonly error: ChatError; readonly text: string }>()
  useEffect(() => {
    for (const [id, error] of unsent) if (error.isTemporary) waited.add(id)
    if (draft.text !== '' || draft.files.length > 0) return
    for (const [id, error] of unsent) {
      const message = messages.find(each => each.id === id)
      // With a token that is valid again, it can be sent.
      const isFinal = !error.isTemporary && error.status !== 401
      if (!isFinal || message === undefined || !waited.has(id)) continue
      discard(id)
      draft.takeBack(message)
      return setRefusal({ error, text: textOf(message) })
    }
  })
  return refusal?.text === draft.text ? refusal.error : undefined
}
