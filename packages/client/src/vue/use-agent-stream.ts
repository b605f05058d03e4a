import type { QueryEvent } from '@throughline/protocol/query-event'
import { type ComputedRef, computed, type MaybeRefOrGetter, onScopeDispose, toValue } from 'vue'
import { eventsOf } from '../events-of.ts'
import type { QueryState } from '../query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../query-store.ts'
import { useSnapshot } from './use-snapshot.ts'

export type AgentStream = { readonly [Name in keyof QueryState]: ComputedRef<QueryState[Name]> } & {
  /** Every event of the query so far, in order. The array is made when it is read. */
  readonly events: ComputedRef<readonly QueryEvent[]>
  /** Asks, instead of whatever was asked before. Resolves at the end, whatever it is. */
  readonly streamQuery: QueryStore['query']
  /** Answers one of `approvals`: a call that waits for a person. */
  readonly approve: QueryStore['approve']
  /** Stops listening, silently. The agent goes on. */
  readonly abort: QueryStore['abort']
  /** Stops the agent. The answer then ends with `cutShort` as `stopped`. */
  readonly stop: QueryStore['stop']
}

/** A query for a Vue component: what there is of the answer now. A query is asked with the options of that moment. */
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
