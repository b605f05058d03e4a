import { parsePosition } from '@throughline/protocol/position'
import type { Finding, Sighting } from './history.ts'
import { eventBytesIn, type LoggedEvent, loggedEventsIn } from './logged-events.ts'
import type { ReadHistory } from './read-history.ts'

/**
 * A1, A3, A4, B1, B2, D4: what a viewer got is the beginning of what the log has after the viewer's position, byte for
 * byte. B3: a viewer whose position is not in the log got a reset, and no entry.
 */
export function checkSightings(history: ReadHistory): readonly Finding[] {
  return history.sightings.flatMap(sighting => checkSighting(history, sighting))
}

function checkSighting({ events }: ReadHistory, { after, bytes }: Sighting): readonly Finding[] {
  const seen = eventBytesIn(bytes)
  if (seen === '') return []
  const position = parsePosition(after)
  const isReset = loggedEventsIn(bytes)[0]?.name === 'reset'
  const isKnown =
    position !== undefined &&
    position.seq <= events.length &&
    (events[0] === undefined ? position.seq === 0 : events[0].position?.epoch === position.epoch)
  if (isReset) return isKnown ? [wrongReset(after)] : []
  if (position === undefined || !isKnown) return [unknownPosition(after, events)]
  const rest = events.slice(position.seq)
  const expected = rest.map(event => event.bytes).join('')
  if (expected.startsWith(seen)) return []
  return [firstDifference(loggedEventsIn(bytes), { rest, seen, expected, from: position.seq })]
}

function wrongReset(after: string): Finding {
  return {
    kind: 'other',
    invariant: 'B3',
    detail: `The log has ${after}, but a viewer after it got a reset.`,
  }
}

/** A viewer went on from a position that the log does not have in the end: what it had seen there is gone. */
function unknownPosition(after: string, events: readonly LoggedEvent[]): Finding {
  const detail = `A viewer followed after ${after}, but the log ends with entry ${events.length} of ${events[0]?.position?.epoch}.`
  return { kind: 'lost', invariant: 'A1', detail }
}

interface Comparison {
  readonly rest: readonly LoggedEvent[]
  readonly seen: string
  readonly expected: string
  /** The number of the entry that the viewer had seen last, before the connection. */
  readonly from: number
}

function firstDifference(shown: readonly LoggedEvent[], comparison: Comparison): Finding {
  const { rest, seen, expected, from } = comparison
  const index = shown.findIndex((event, place) => event.bytes !== rest[place]?.bytes)
  const event = shown[index]
  const number = from + index + 1
  if (event === undefined) {
    const detail = `A viewer got the beginning of an event that the log does not have: ${seen.slice(-200)}`
    return { kind: seen.length > expected.length ? 'lost' : 'wrong-bytes', invariant: 'A1', detail }
  }
  const seq = event.position?.seq ?? 0
  const told = `Instead of entry ${number} a viewer got ${event.bytes.slice(0, 200)}`
  if (seq < number) return { kind: 'doubled', invariant: 'B2', detail: told }
  if (seq > number) return { kind: 'lost', invariant: 'B2', detail: told }
  const kept = rest[index]?.bytes
  if (kept === undefined) return { kind: 'lost', invariant: 'A1', detail: `Not in the log: ${told}` }
  return { kind: 'wrong-bytes', invariant: 'A3', detail: `${told} The log has ${kept.slice(0, 200)}` }
}
