import type { Entry } from '@throughline/protocol/entry'
import type { ChatHistory } from './history.ts'
import { entryIn, type LoggedEvent, loggedEventsIn } from './logged-events.ts'

/** A history, with its log taken apart once for all checks. */
export interface ReadHistory extends ChatHistory {
  readonly events: readonly LoggedEvent[]
  readonly entries: readonly Entry[]
}

/** Takes the log of a history apart. Throws when it has something that is not an entry. */
export function readHistory(history: ChatHistory): ReadHistory {
  const events = loggedEventsIn(history.log)
  return { ...history, events, entries: events.map(entryIn) }
}
