import { useEffect, useState, useSyncExternalStore } from 'react'
import { actionsOf, type ChatActions } from '../chat/chat-actions.ts'
import type { ChatSnapshot } from '../chat/chat-snapshot.ts'
import { type Chat, type ChatOptions, createChat } from '../chat/create-chat.ts'

/** What `useAgentChat` returns: what to show now, and what a person can do. */
export interface AgentChat extends ChatSnapshot, ChatActions {}

/**
 * Follows a chat from a React component, and renders again when it changes, at most once per animation frame. With
 * another `chatId` it follows another chat. Following ends when the component is unmounted. Throws a `ChatError` when
 * the chat's id is not allowed.
 */
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

// Kept with `useState`, not with `useMemo`: React may drop a memo, and messages that are being sent would be lost.
function useChat(options: ChatOptions): Chat {
  const [chat, setChat] = useState(() => createChat(options))
  if (chat.chatId === options.chatId) return chat
  const next = createChat(options)
  setChat(next)
  return next
}
