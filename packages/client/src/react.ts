import type { ChatId } from '@throughline/protocol/ids'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ChatSnapshot } from './chat-snapshot.ts'
import { type ChatOptions, ChatStore } from './chat-store.ts'

export interface AgentChat extends ChatSnapshot, Pick<ChatStore, 'send' | 'stop' | 'retry' | 'decide'> {}

/** A chat for a React page: what it shows now, and what a person can do. Another `chatId` is another chat. */
export function useAgentChat(options: ChatOptions): AgentChat {
  const store = useChatStore(options)
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot)
  useEffect(() => {
    store.open()
    return store.close
  }, [store])
  const { send, stop, retry, decide } = store
  return { ...snapshot, send, stop, retry, decide }
}

// Kept in state, not in a memo: React may drop a memo, and with it messages that are being sent.
function useChatStore(options: ChatOptions): ChatStore {
  const [held, setHeld] = useState<{ chatId: ChatId; store: ChatStore }>(() => hold(options))
  if (held.chatId === options.chatId) return held.store
  const next = hold(options)
  setHeld(next)
  return next.store
}

function hold(options: ChatOptions) {
  return { chatId: options.chatId, store: new ChatStore(options) }
}
