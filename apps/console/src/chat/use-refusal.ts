import type { ChatError } from '@throughline/client'
import type { AgentChat } from '@throughline/client/react'
import { useEffect, useState } from 'react'
import type { Draft } from './use-draft.ts'

/**
 * Puts a message that the server refuses for good back into the draft, if that is empty, and returns why it was refused,
 * until the person writes on. A message that was edited stays where it is, because a draft has no place in the chat.
 */
export function useRefusal({ unsent, messages, discard }: AgentChat, draft: Draft): ChatError | undefined {
  const [refusal, setRefusal] = useState<{ readonly error: ChatError; readonly text: string }>()
  useEffect(() => {
    if (draft.text !== '' || draft.files.length > 0) return
    for (const [id, error] of unsent) {
      const message = messages.find(each => each.id === id)
      // With a token that is valid again, it can be sent.
      const isFinal = !error.isTemporary && error.status !== 401
      if (!isFinal || message === undefined || message.metadata?.previousMessageId !== undefined) continue
      discard(id)
      draft.takeBack(message)
      const text = message.parts.flatMap(part => (part.type === 'text' ? part.text : [])).join('')
      return setRefusal({ error, text })
    }
  })
  return refusal?.text === draft.text ? refusal.error : undefined
}
