import type { QueryEvent } from '@throughline/protocol'
import { type List, listToArray, memoizeByIdentity } from '@throughline/protocol/internal'

/** Returns the events of a list as an array: the same array for the same list. */
export const eventsOf = memoizeByIdentity((list: List<QueryEvent>): readonly QueryEvent[] =>
  listToArray(list),
)
