import { asChatError } from '@throughline/client/chat-error'
import type { ChatId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import { useState } from 'react'
import { callServer } from '../call-server.ts'

export interface AskedPerson {
  /** Whom the last message is for; nothing when it is for an agent. */
  readonly name: string | undefined
  /** Whether what is written now is what this person says. */
  readonly isReplying: boolean
  /** Why the last reply did not work. */
  readonly failure: string | undefined
  setReplying(isReplying: boolean): void
  reply(text: string): Promise<void>
}

/** The person who was asked, and who may sit at this page, too. */
export function usePerson(chatId: ChatId, messages: readonly Message[]): AskedPerson {
  const name = askedName(messages)
  // By name: who speaks for one person does not speak for the next.
  const [speaker, setSpeaker] = useState<string>()
  const [failure, setFailure] = useState<string>()
  return {
    name,
    isReplying: name !== undefined && speaker === name,
    failure,
    setReplying: isReplying => setSpeaker(isReplying ? name : undefined),
    async reply(text) {
      try {
        setFailure(undefined)
        await callServer('POST', `/api/chats/${encodeURIComponent(chatId)}/reply`, { text })
      } catch (error) {
        setFailure(asChatError(error).message)
      }
    },
  }
}

function askedName(messages: readonly Message[]): string | undefined {
  const { communicationType, channel, receiverName } =
    messages.findLast(({ role }) => role === 'user')?.metadata ?? {}
  // Whoever writes in a channel is answered there, by whoever has taken over.
  return communicationType === 'user-to-user' && channel === undefined ? receiverName : undefined
}
