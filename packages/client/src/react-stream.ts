import { useEffect, useState, useSyncExternalStore } from 'react'
import type { QueryState } from './query-state.ts'
import { QueryStore, type QueryStoreOptions } from './query-store.ts'

export interface AgentStream extends QueryState {
  /** Asks, instead of whatever was asked before. Resolves at the end, whatever it is. */
  readonly streamQuery: QueryStore['query']
  readonly abort: QueryStore['abort']
}

/** A query for a React page: what there is of the answer now. */
export function useAgentStream(options: QueryStoreOptions = {}): AgentStream {
  const [store] = useState(() => new QueryStore(options))
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot)
  useEffect(() => store.abort, [store])
  useEffect(() => store.update(options))
  return { ...state, streamQuery: store.query, abort: store.abort }
}
