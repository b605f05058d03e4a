import type { QueryEvent } from '@throughline/protocol'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { eventsOf } from '../events/events-of.ts'
import type { QueryState } from '../events/query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../events/query-store.ts'

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
