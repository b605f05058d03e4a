import type { QueryEvent } from '@throughline/protocol'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { actionsOf, type ChatActions } from '../chat/chat-actions.ts'
import type { ChatSnapshot } from '../chat/chat-snapshot.ts'
import { type Chat, type ChatOptions, createChat } from '../chat/create-chat.ts'
import { eventsOf, type QueryState } from '../events/query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../events/query-store.ts'

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

/** What `useAgentStream` returns: the state of the last query, and what a person can do. */
export interface AgentStream extends QueryState {
  /** All events of the query so far, in order. The array is created when you read it. */
  readonly events: readonly QueryEvent[]
  /** Asks a question, and no longer listens to the one before. Resolves when the answer has ended. Never rejects. */
  readonly streamQuery: QueryStore['query']
  /** Decides on one of `approvals`. Never rejects. */
  readonly approve: QueryStore['approve']
  /** Stops listening, without an error. The agent goes on. */
  readonly abort: QueryStore['abort']
  /** Stops the agent. The answer then ends with `cutShort: 'stopped'`. Never rejects. */
  readonly stop: QueryStore['stop']
}

/**
 * Asks an agent from a React component, and renders again when there is more of the answer, at most once per animation
 * frame. Each query uses the options of the last render. Listening ends when the component is unmounted.
 */
export function useAgentStream(options: QueryStoreOptions = {}): AgentStream {
  const [store] = useState(() => new QueryStore(options))
  const { eventList, ...state } = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot)
  useEffect(() => store.abort, [store])
  useEffect(() => store.update(options))
  const { query: streamQuery, approve, abort, stop } = store
  return {
    ...state,
    get events() {
      return eventsOf(eventList)
    },
    streamQuery,
    approve,
    abort,
    stop,
  }
}
