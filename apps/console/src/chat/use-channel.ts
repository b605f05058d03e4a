import { asChatError, type ChatError, type ChatSnapshot } from '@throughline/client'
import type { ChatId } from '@throughline/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { callServer } from '../call-server.ts'

export interface ChatChannel {
  /** The name of the chat's channel; `undefined` when it has none. */
  readonly name: string | undefined
  /** Whether a person writes in place of the agent. */
  readonly isTakenOver: boolean
  /** Why the person's last action here has failed. */
  readonly failure: ChatError | undefined
  takeOver(isOn: boolean): Promise<void>
  /** Sends a text to the person in the channel. Returns whether the server has taken it. */
  reply(text: string): Promise<boolean>
}

/**
 * Returns the channel of a chat, and whether a person has taken over. Loads this again when a run begins or ends,
 * because others may take over too. Loads nothing before the chat has its first message: until then it may not exist.
 */
export function useChannel(
  chatId: ChatId,
  { status, messages }: Pick<ChatSnapshot, 'status' | 'messages'>,
): ChatChannel {
  const [known, setKnown] = useState<{ readonly channel?: string; readonly takenOverBy?: string }>({})
  const [failure, setFailure] = useState<ChatError>()
  const address = `/api/chats/${encodeURIComponent(chatId)}`
  const isEmpty = messages.length === 0
  // How often this page has learned more than a request knows that is under way.
  const news = useRef(0)
  useEffect(() => {
    let isCurrent = true
    const newsBefore = news.current
    if (isEmpty || status === 'loading' || status === 'submitted') return
    callServer('GET', address).then(
      chat => isCurrent && news.current === newsBefore && setKnown(chat),
      // A chat that does not exist yet has no channel.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [address, status, isEmpty])

  const post = useCallback(
    async (what: string, body: unknown) => {
      try {
        setFailure(undefined)
        return await callServer('POST', `${address}/${what}`, body)
      } catch (error) {
        setFailure(asChatError(error))
      }
    },
    [address],
  )
  const takeOver = useCallback(
    async (on: boolean) => {
      const done = await post('take-over', { on })
      if (done === undefined) return
      news.current += 1
      setKnown(({ channel }) => ({ ...(channel && { channel }), takenOverBy: done.takenOverBy }))
    },
    [post],
  )
  const reply = useCallback(async (text: string) => (await post('reply', { text })) !== undefined, [post])
  const { channel: name, takenOverBy } = known
  return { name, isTakenOver: takenOverBy !== undefined, failure, takeOver, reply }
}
