import { getCurrentInstance, onMounted, onScopeDispose, type ShallowRef } from 'vue'
import { actionsOf, type ChatActions } from '../chat-actions.ts'
import type { ChatSnapshot } from '../chat-snapshot.ts'
import { type ChatOptions, createChat } from '../create-chat.ts'
import { useSnapshot } from './use-snapshot.ts'

export interface AgentChat extends ChatActions {
  readonly chat: Readonly<ShallowRef<ChatSnapshot>>
}

/** A chat for a Vue component. For another chat make another component: give it the chat's id as its `key`. */
export function useAgentChat(options: ChatOptions): AgentChat {
  const store = createChat(options)
  const chat = useSnapshot(store)
  // Not during setup: a page that is rendered on a server must not follow anything there.
  if (getCurrentInstance() === null) store.open()
  else onMounted(store.open)
  onScopeDispose(store.close)
  return { chat, ...actionsOf(store) }
}
