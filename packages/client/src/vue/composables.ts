import type { QueryEvent } from '@throughline/protocol'
import {
  type ComputedRef,
  computed,
  getCurrentInstance,
  type MaybeRefOrGetter,
  onMounted,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  toValue,
} from 'vue'
import { actionsOf, type ChatActions } from '../chat/chat-actions.ts'
import type { ChatSnapshot } from '../chat/chat-snapshot.ts'
import { type ChatOptions, createChat } from '../chat/create-chat.ts'
import { eventsOf, type QueryState } from '../events/query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../events/query-store.ts'

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

/** What `useAgentStream` returns: the state of the last query as refs, and what a person can do. */
export type AgentStream = { readonly [Name in keyof QueryState]: ComputedRef<QueryState[Name]> } & {
  /** All events of the query so far, in order. The array is created when you read it. */
  readonly events: ComputedRef<readonly QueryEvent[]>
  /** Asks a question, and no longer listens to the one before. Resolves when the answer has ended. Never rejects. */
  readonly streamQuery: QueryStore['query']
  /** Decides on one of `approvals`. Never rejects. */
  readonly approve: QueryStore['approve']
  /** Stops listening, without an error. The agent goes on. */
  readonly abort: QueryStore['abort']
  /** Stops the agent. Then `cutShort` becomes `stopped`. Never rejects. */
  readonly stop: QueryStore['stop']
}

/**
 * Asks an agent from a Vue component. The refs change at most once per animation frame. Each query uses the options at
 * that moment. Listening ends when the component is unmounted.
 */
export function useAgentStream(options: MaybeRefOrGetter<QueryStoreOptions> = {}): AgentStream {
  const store = new QueryStore(toValue(options))
  const state = useSnapshot(store)
  onScopeDispose(store.abort)
  return {
    response: computed(() => state.value.response),
    isStreaming: computed(() => state.value.isStreaming),
    events: computed(() => eventsOf(state.value.eventList)),
    toolCalls: computed(() => state.value.toolCalls),
    streamQuery(message, sessionId) {
      store.update(toValue(options))
      return store.query(message, sessionId)
    },
    approvals: computed(() => state.value.approvals),
    approve: store.approve,
    abort: store.abort,
    stop: store.stop,
    tools: computed(() => state.value.tools),
    progress: computed(() => state.value.progress),
    cutShort: computed(() => state.value.cutShort),
    statusText: computed(() => state.value.statusText),
    usage: computed(() => state.value.usage),
    error: computed(() => state.value.error),
    sessionId: computed(() => state.value.sessionId),
  }
}

/** Returns the snapshot of a store as a ref. It changes until the component is unmounted. */
function useSnapshot<Snapshot>(store: {
  readonly getSnapshot: () => Snapshot
  readonly subscribe: (listener: () => void) => () => void
}): Readonly<ShallowRef<Snapshot>> {
  const snapshot = shallowRef(store.getSnapshot())
  onScopeDispose(
    store.subscribe(() => {
      snapshot.value = store.getSnapshot()
    }),
  )
  return snapshot
}
