import { type List, listToArray } from '@throughline/protocol/list'
import { oncePer } from '@throughline/protocol/once-per'
import type { QueryEvent } from '@throughline/protocol/query-event'

/** The events of a list as an array: the same one for the same list. */
export const eventsOf = oncePer((list: List<QueryEvent>): readonly QueryEvent[] => listToArray(list))
