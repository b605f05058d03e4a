import type { Message } from '@throughline/client'
import type { ChatId } from '@throughline/protocol'
import { useCallback, useEffect, useState } from 'react'
import { callServer } from '../call-server.ts'
import type { ChatActivity } from './chat-activity.ts'

export interface Queue {
  /** What waits, in order: in the queue of the server, and behind it what is on its way there. */
  readonly messages: readonly Message[]
  /** Whether the last change was too late, or the server is away. */
  readonly hasFailed: boolean
  /** Takes a message out of the queue of the server. Throws a `ChatError` when it does not wait any more. */
  remove(messageId: string): Promise<void>
  /** Waits for a change, and then reads the queue again. */
  attempt(change: Promise<unknown> | undefined): Promise<void>
}

interface QueueItem {
  readonly kind: string
  readonly message: Message
}

/**
 * Returns the messages that wait in a chat. The queue of the server is read when an answer begins or ends, when the
 * connection is there again, and when this page or another tab has changed it.
 */
export function useQueue(chatId: ChatId, chat: ChatActivity, lastQueued: Message | undefined): Queue {
  const [listed, setListed] = useState<readonly Message[]>([])
  const [hasFailed, setHasFailed] = useState(false)
  const { status, connection } = chat
  const read = useCallback(async () => {
    try {
      const { queue } = await callServer('GET', `/api/chats/${chatId}/queue`)
      const items: readonly QueueItem[] = queue
      setListed(items.flatMap(({ kind, message }) => (kind === 'another-answer' ? [] : message)))
    } catch {
      // The server is away. What was known stays, and the connection that comes back reads it again.
    }
  }, [chatId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these says that the queue may have changed
  useEffect(() => void read(), [read, status, connection])
  const tellTabs = useTabs(chatId, read)
  useEffect(() => {
    if (lastQueued === undefined) return
    // At once, so that the message does not vanish until the queue is read.
    setListed(known => [...known.filter(({ id }) => id !== lastQueued.id), lastQueued])
    void read()
    tellTabs()
  }, [lastQueued, read, tellTabs])

  const shown = new Set(chat.messages.map(({ id }) => id))
  const onTheirWay = chat.queued.filter(({ id }) => listed.every(each => each.id !== id))
  return {
    messages: [...listed, ...onTheirWay].filter(({ id }) => !shown.has(id)),
    hasFailed,
    remove: messageId => callServer('DELETE', `/api/chats/${chatId}/queue/${messageId}`),
    async attempt(change) {
      try {
        setHasFailed(false)
        await change
      } catch {
        setHasFailed(true)
      }
      await read()
      tellTabs()
    },
  }
}

const channel = new BroadcastChannel('throughline.queue')

/** Calls back when another tab has changed the queue of the chat. Returns a function that tells the other tabs. */
function useTabs(chatId: ChatId, onChange: () => void): () => void {
  useEffect(() => {
    const onMessage = ({ data }: MessageEvent<unknown>) => data === chatId && onChange()
    channel.addEventListener('message', onMessage)
    return () => channel.removeEventListener('message', onMessage)
  }, [chatId, onChange])
  return useCallback(() => channel.postMessage(chatId), [chatId])
}
