import { shorten } from '@throughline/protocol/internal'
import { inOneLine } from '../text/plain-text.ts'
import type { ReceivedEvent } from './sse-splitter.ts'

/** Returns a number of events in words. */
export function eventCount(count: number): string {
  return count === 1 ? '1 event' : `${count} events`
}

/** Returns an event on one short line, for a person; says so when there is none. */
export function describeEvent(event: ReceivedEvent | undefined): string {
  return event === undefined ? 'nothing' : shorten(inOneLine(event.raw.trim()), 160)
}
