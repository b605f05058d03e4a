import { type ComputedRef, computed, onScopeDispose } from 'vue'
import type { QueryState } from '../query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../query-store.ts'
import { useSnapshot } from './use-snapshot.ts'

export type AgentStream = { readonly [Name in keyof QueryState]: ComputedRef<QueryState[Name]> } & {
  /** Asks, instead of whatever was asked before. Resolves at the end, whatever it is. */
  readonly streamQuery: QueryStore['query']
  readonly abort: QueryStore['abort']
}

/** A query for a Vue component: what there is of the answer now. */
export function useAgentStream(options: QueryStoreOptions = {}): AgentStream {
  const store = new QueryStore(options)
  const state = useSnapshot(store)
  onScopeDispose(store.abort)
  return {
    response: computed(() => state.value.response),
    isStreaming: computed(() => state.value.isStreaming),
    toolCalls: computed(() => state.value.toolCalls),
    streamQuery: store.query,
    abort: store.abort,
    tools: computed(() => state.value.tools),
    progress: computed(() => state.value.progress),
    cutShort: computed(() => state.value.cutShort),
    usage: computed(() => state.value.usage),
    error: computed(() => state.value.error),
    sessionId: computed(() => state.value.sessionId),
  }
}
