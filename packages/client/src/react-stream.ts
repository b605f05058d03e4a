import type { QueryEvent } from '@throughline/protocol/query-event'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { eventsOf } from './events-of.ts'
import type { QueryState } from './query-state.ts'
import { QueryStore, type QueryStoreOptions } from './query-store.ts'

export interface AgentStream extends QueryState {
  /** Every event of the query so far, in order. The array is made when it is read. */
  readonly events: readonly QueryEvent[]
  /** Asks, instead of whatever was asked before. Resolves at the end, whatever it is. */
  readonly streamQuery: QueryStore['query']
  /** Answers one of `approvals`: a call that waits for a person. */
  readonly approve: QueryStore['approve']
  /** Stops listening, silently. The agent goes on. */
  readonly abort: QueryStore['abort']
  /** Stops the agent. The answer then ends with `cutShort: 'stopped'`. */
  readonly stop: QueryStore['stop']
}

/** A query for a React page: what there is of the answer now. */
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
