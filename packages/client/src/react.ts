import { useEffect, useState, useSyncExternalStore } from 'react'
import { actionsOf, type ChatActions } from './chat-actions.ts'
import type { ChatSnapshot } from './chat-snapshot.ts'
import { type Chat, type ChatOptions, createChat } from './create-chat.ts'

/** @public */
export { useAgentStream } from './react-stream.ts'

export interface AgentChat extends ChatSnapshot, ChatActions {}

/** A chat for a React page: what it shows now, and what a person can do. Another `chatId` is another chat. */
export function useAgentChat(options: ChatOptions): AgentChat {
  const chat = useChat(options)
  const snapshot = useSyncExternalStore(chat.subscribe, chat.getSnapshot, chat.getSnapshot)
  useEffect(() => {
    chat.open()
    return chat.close
  }, [chat])
  useEffect(() => chat.update(options))
  return { ...snapshot, ...actionsOf(chat) }
}

// Kept in state, not in a memo: React may drop a memo, and with it messages that are being sent.
function useChat(options: ChatOptions): Chat {
  const [chat, setChat] = useState(() => createChat(options))
  if (chat.chatId === options.chatId) return chat
  const next = createChat(options)
  setChat(next)
  return next
}
