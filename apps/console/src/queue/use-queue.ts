import { asChatError, type ChatError, type Message } from '@throughline/client'
import type { AgentChat } from '@throughline/client/react'
import type { ChatId } from '@throughline/protocol'
import { isQueueBody, isQueuedMessage } from '@throughline/protocol/internal'
import { useCallback, useEffect, useRef, useState } from 'react'
import { callServer, tellServer } from '../server/call-server.ts'

interface Queue {
  /** What waits, in order: in the queue of the server, and behind it what is on its way there. */
  readonly messages: readonly Message[]
  /** Why the last change was not made: it came too late, or the server is away. */
  readonly failure: ChatError | undefined
  /** Gives a message in the queue of the server another text. Throws a `ChatError` when it does not wait any more. */
  edit(messageId: string, text: string): Promise<void>
  /** Takes a message out of the queue of the server. Throws a `ChatError` when it does not wait any more. */
  remove(messageId: string): Promise<void>
  /** Waits for a change, and then reads the queue again. Returns why the change was not made. */
  attempt(change: Promise<unknown>): Promise<ChatError | undefined>
  /** Forgets the failure. */
  dismiss(): void
}

/**
 * Returns the messages that wait in a chat. The queue of the server is read when an answer begins or ends, when the
 * connection is there again, and when this page or another tab has changed it.
 */
export function useQueue(chatId: ChatId, chat: ChatActivity, lastQueued: Message | undefined): Queue {
  const [failure, setFailure] = useState<ChatError>()
  const { listed, read, change } = useListed(chatId)
  const { status, connection } = chat
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these says that the queue may have changed
  useEffect(() => void read(), [read, status, connection])
  const tellTabs = useTabs(chatId, read)
  useEffect(() => {
    if (lastQueued === undefined) return
    // At once, so that the message does not vanish until the queue is read.
    change(known => [...known.filter(({ id }) => id !== lastQueued.id), lastQueued])
    setFailure(undefined)
    void read()
    tellTabs()
  }, [lastQueued, change, read, tellTabs])

  const shown = new Set(chat.messages.map(({ id }) => id))
  const onTheirWay = chat.queued.filter(({ id }) => listed.every(each => each.id !== id))
  const address = `/api/chats/${chatId}/queue`
  return {
    messages: [...listed, ...onTheirWay].filter(({ id }) => !shown.has(id)),
    failure,
    async edit(messageId, text) {
      const { message } = await callServer(isQueuedMessage, 'PATCH', `${address}/${messageId}`, { text })
      change(known => known.map(each => (each.id === messageId ? message : each)))
    },
    remove: messageId => tellServer('DELETE', `${address}/${messageId}`),
    async attempt(made) {
      setFailure(undefined)
      const error = await made.then(() => undefined, asChatError)
      setFailure(error)
      void read()
      tellTabs()
      return error
    },
    dismiss: () => setFailure(undefined),
  }
}

/** The queue of the server, as it was read last. `change` shows a change of this page before it is read again. */
function useListed(chatId: ChatId) {
  const [listed, setListed] = useState<readonly Message[]>([])
  // Requests overtake each other. What an older one brings does not replace what a newer one has brought.
  const asked = useRef(0)
  const oldest = useRef(0)
  const read = useCallback(async () => {
    asked.current += 1
    const request = asked.current
    try {
      const { queue } = await callServer(isQueueBody, 'GET', `/api/chats/${chatId}/queue`)
      if (request < oldest.current) return
      oldest.current = request
      setListed(queue.flatMap(({ kind, message }) => (kind === 'another-answer' ? [] : message)))
    } catch {
      // The server is away. What was known stays, and the connection that comes back reads it again.
    }
  }, [chatId])
  const change = useCallback((made: (known: readonly Message[]) => readonly Message[]) => {
    // Requests that are under way may not know of the change.
    oldest.current = asked.current + 1
    setListed(made)
  }, [])
  return { listed, read, change }
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

/** What those need to know of a chat who show what waits in it. */
export type ChatActivity = Pick<
  AgentChat,
  'status' | 'messages' | 'queued' | 'unsent' | 'connection' | 'discard' | 'stop'
>
