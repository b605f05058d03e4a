import { getCurrentInstance, onMounted, onScopeDispose, type ShallowRef } from 'vue'
import { actionsOf, type ChatActions } from '../chat/chat-actions.ts'
import type { ChatSnapshot } from '../chat/chat-snapshot.ts'
import { type ChatOptions, createChat } from '../chat/create-chat.ts'
import { useSnapshot } from './use-snapshot.ts'

/** What `useAgentChat` returns: what to show now, and what a person can do. */
export interface AgentChat extends ChatActions {
  /** What to show now. Changes at most once per animation frame. */
  readonly chat: Readonly<ShallowRef<ChatSnapshot>>
}

/**
 * Follows a chat from a Vue component, until the component is unmounted. To follow another chat, use another component:
 * give it the chat's id as its `key`. Throws a `ChatError` when the chat's id is not allowed.
 */
export function useAgentChat(options: ChatOptions): AgentChat {
  const store = createChat(options)
  const chat = useSnapshot(store)
  // Opened when the component is mounted, not during setup: setup also runs when a server renders the page.
  if (getCurrentInstance() === null) store.open()
  else onMounted(store.open)
  onScopeDispose(store.close)
  return { chat, ...actionsOf(store) }
}
