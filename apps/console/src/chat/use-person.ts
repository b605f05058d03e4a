import { asChatError, type ChatError } from '@throughline/client'
import type { ChatId, Message } from '@throughline/protocol'
import { useState } from 'react'
import { callServer } from '../call-server.ts'

export interface AskedPerson {
  /** The person that the last message is for; `undefined` when it is for an agent. */
  readonly name: string | undefined
  /** Whether the next text is sent as a reply of this person. */
  readonly isReplying: boolean
  /** Why the last reply could not be sent. */
  readonly failure: ChatError | undefined
  setReplying(isReplying: boolean): void
  /** Returns whether the server has taken the text. */
  reply(text: string): Promise<boolean>
}

/** Returns the person that the last message is for. That person may use this page, and reply here. */
export function usePerson(chatId: ChatId, messages: readonly Message[]): AskedPerson {
  const name = askedName(messages)
  // Kept by name: replying as one person does not mean replying as the next one.
  const [speaker, setSpeaker] = useState<string>()
  const [failure, setFailure] = useState<ChatError>()
  return {
    name,
    isReplying: name !== undefined && speaker === name,
    failure,
    setReplying: isReplying => setSpeaker(isReplying ? name : undefined),
    async reply(text) {
      try {
        setFailure(undefined)
        await callServer('POST', `/api/chats/${encodeURIComponent(chatId)}/reply`, { text })
        return true
      } catch (error) {
        setFailure(asChatError(error))
        return false
      }
    },
  }
}

function askedName(messages: readonly Message[]): string | undefined {
  const { communicationType, channel, receiverName } =
    messages.findLast(({ role }) => role === 'user')?.metadata ?? {}
  // A message from a channel is not for a person of this page. Whoever has taken over the chat replies there.
  return communicationType === 'user-to-user' && channel === undefined ? receiverName : undefined
}
