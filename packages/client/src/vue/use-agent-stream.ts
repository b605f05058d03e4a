import type { QueryEvent } from '@throughline/protocol'
import { type ComputedRef, computed, type MaybeRefOrGetter, onScopeDispose, toValue } from 'vue'
import { eventsOf } from '../events/events-of.ts'
import type { QueryState } from '../events/query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../events/query-store.ts'
import { useSnapshot } from './use-snapshot.ts'

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
