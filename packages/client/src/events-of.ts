import { type List, listToArray } from '@throughline/protocol/list'
import { memoizeByIdentity } from '@throughline/protocol/memoize-by-identity'
import type { QueryEvent } from '@throughline/protocol/query-event'

/** Returns the events of a list as an array: the same array for the same list. */
export const eventsOf = memoizeByIdentity((list: List<QueryEvent>): readonly QueryEvent[] =>
  listToArray(list),
)
