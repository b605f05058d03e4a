import type { Entry } from '../entries/entry.ts'
import { type ChatState, emptyChat, messagesOf } from '../fold/chat-state.ts'
import { fold } from '../fold/fold.ts'
import { isSameValue } from '../values/json.ts'
import type { Finding } from './chat-history.ts'
import {
  type ReadChat,
  type ReadHistory,
  type ReadLoad,
  type ReadSighting,
  type Stay,
  textOfValue,
} from './read-history.ts'
import { entryIn, type RecordedEvent } from './sse-recorder.ts'

/**
 * B4, B5: when nothing goes on any more, a viewer who has stayed has seen all of the log since its last reset, and shows what
 * the log says.
 */
export function checkViewers({ entries }: ReadChat, { viewers }: ReadHistory): readonly Finding[] {
  const staying = viewers.flatMap(({ stays, hasStayed }) => (hasStayed ? stays.slice(-1) : []))
  const whole = staying.filter(({ isCurrent, isOver }) => isCurrent && !isOver)
  if (whole.length === 0) return []
  const expected = messagesOf(foldAll(emptyChat(), entries))
  return whole.flatMap(stay => checkStay(stay, entries, expected))
}

function checkStay(
  { sightings }: Stay,
  entries: readonly Entry[],
  expected: ReturnType<typeof messagesOf>,
): readonly Finding[] {
  const { after = '', position } = sightings[0] ?? {}
  const before = position?.seq ?? 0
  const seen = sightings.flatMap(({ events }) => events.map(entryIn))
  const numbers = seen.map(({ seq }) => seq)
  const wanted = entries.slice(before).map(({ seq }) => seq)
  if (!isSameValue(numbers, wanted)) {
    const detail = `A viewer after ${after} saw ${numbers.length} entries up to ${numbers.at(-1)}, and the log has ${wanted.length} up to ${wanted.at(-1)}.`
    return [{ kind: numbers.length > wanted.length ? 'doubled' : 'lost', invariant: 'B5', detail }]
  }
  const shown = messagesOf(foldAll(foldAll(emptyChat(), entries.slice(0, before)), seen))
  if (isSameValue(shown, expected)) return []
  const detail = `A viewer after ${after} shows ${JSON.stringify(shown).slice(0, 600)}, and the log says ${JSON.stringify(expected).slice(0, 600)}`
  return [{ kind: 'wrong-bytes', invariant: 'B4', detail }]
}

function foldAll(chat: ChatState, entries: readonly Entry[]): ChatState {
  return entries.reduce(fold, chat)
}

/**
 * A1, A3, A4, B1, B2, D4: what a viewer got is the beginning of what the log has after the viewer's position, byte for
 * byte. B3: it gets a reset only if the log does not have its position.
 */
export function checkSightings(chat: ReadChat, { viewers }: ReadHistory): readonly Finding[] {
  const current = viewers.flatMap(({ stays }) => stays.filter(({ isCurrent }) => isCurrent))
  return current.flatMap(({ sightings }) => sightings.flatMap(sighting => checkSighting(chat, sighting)))
}

function checkSighting({ events }: ReadChat, sighting: ReadSighting): readonly Finding[] {
  const { position, after, seen, hasReset } = sighting
  const from = position?.seq ?? 0
  const isKnown = from + sighting.events.length <= events.length
  const wrongReset = hasReset && isKnown ? [resetAt(after)] : []
  if (seen === '') return wrongReset
  if (from > events.length) return [unknownPosition(after, events)]
  const rest = events.slice(from)
  const expected = rest.map(({ bytes }) => bytes).join('')
  if (expected.startsWith(seen)) return wrongReset
  return [firstDifference(sighting, { rest, expected, from })]
}

function resetAt(after: string): Finding {
  const detail = `The log has ${after} and what the viewer saw after it, but the viewer got a reset.`
  return { kind: 'other', invariant: 'B3', detail }
}

/** A viewer went on from a position that the log does not have in the end: what it had seen there is gone. */
function unknownPosition(after: string, events: readonly RecordedEvent[]): Finding {
  const detail = `A viewer followed after ${after}, but the log ends with entry ${events.length} of ${events[0]?.position?.epoch}.`
  return { kind: 'lost', invariant: 'A1', detail }
}

interface Comparison {
  readonly rest: readonly RecordedEvent[]
  readonly expected: string
  /** The number of the entry that the viewer had seen last, before the connection. */
  readonly from: number
}

function firstDifference({ events, seen }: ReadSighting, { rest, expected, from }: Comparison): Finding {
  const index = events.findIndex((event, place) => event.bytes !== rest[place]?.bytes)
  const event = events[index]
  const number = from + index + 1
  if (event === undefined) {
    const detail = `A viewer got the beginning of an event that the log does not have: ${seen.slice(-200)}`
    return { kind: seen.length > expected.length ? 'lost' : 'wrong-bytes', invariant: 'A1', detail }
  }
  const seq = event.position?.seq ?? 0
  const difference = `Instead of entry ${number} a viewer got ${event.bytes.slice(0, 200)}`
  if (seq < number) return { kind: 'doubled', invariant: 'B2', detail: difference }
  if (seq > number) return { kind: 'lost', invariant: 'B2', detail: difference }
  const kept = rest[index]?.bytes
  if (kept === undefined) return { kind: 'lost', invariant: 'A1', detail: `Not in the log: ${difference}` }
  return { kind: 'wrong-bytes', invariant: 'A3', detail: `${difference} The log has ${kept.slice(0, 200)}` }
}

/**
 * A3, B3: while a log had an earlier epoch, a position meant the same bytes for every viewer, and no viewer had a gap.
 * Whoever had seen something there gets a reset. A1: what was shown is in the log of now, unless the database has lost it.
 */
export function checkEpochs(chat: ReadChat, { viewers, mayLose }: ReadHistory): readonly Finding[] {
  const findings: Finding[] = []
  const earlier: ReadSighting[] = []
  for (const { stays, hasStayed } of viewers)
    for (const stay of stays) {
      if (stay.isCurrent) continue
      earlier.push(...stay.sightings)
      findings.push(...stay.sightings.flatMap(checkOrder), ...checkEnd(stay, hasStayed))
    }
  findings.push(...checkMeanings(earlier))
  if (!mayLose) findings.push(...checkKept(earlier, new Set(chat.events.map(({ data }) => data))))
  return findings
}

/** The entries of a connection follow each other, in one epoch. */
function checkOrder({ after, position: begin, events }: ReadSighting): readonly Finding[] {
  const wrong = events.findIndex(
    ({ position }, index) =>
      begin === undefined || position?.epoch !== begin.epoch || position.seq !== begin.seq + index + 1,
  )
  const event = events[wrong]
  if (event === undefined) return []
  const detail = `A viewer after ${after} got, as entry ${wrong + 1} and without a reset, ${event.bytes.slice(0, 200)}`
  return [{ kind: 'lost', invariant: 'B3', detail }]
}

/** A viewer who was cut off before it saw anything, and did not come back, cannot know of the reset. */
function checkEnd({ sightings, isOver }: Stay, hasStayed: boolean): readonly Finding[] {
  if (isOver || (!hasStayed && sightings.every(({ seen }) => seen === ''))) return []
  const detail = `A viewer after ${sightings[0]?.after} was not reset, and its epoch is not that of the log any more.`
  return [{ kind: 'lost', invariant: 'B3', detail }]
}

function checkMeanings(sightings: readonly ReadSighting[]): readonly Finding[] {
  const meanings = new Map<string, string>()
  return sightings.flatMap(({ events }) =>
    events.flatMap(({ position, data }): readonly Finding[] => {
      const id = `${position?.epoch}.${position?.seq}`
      const meaning = meanings.get(id) ?? data
      meanings.set(id, meaning)
      if (meaning === data) return []
      const detail = `At ${id} one viewer got ${meaning.slice(0, 200)}, and another one ${data.slice(0, 200)}`
      return [{ kind: 'wrong-bytes', invariant: 'A3', detail }]
    }),
  )
}

function checkKept(sightings: readonly ReadSighting[], kept: ReadonlySet<string>): readonly Finding[] {
  const lost = sightings.flatMap(({ events }) => events.filter(({ data }) => !kept.has(data)))
  const [first] = lost
  if (first === undefined) return []
  const detail = `${lost.length} times an entry was shown that is not in the log any more. The first is ${first.bytes.slice(0, 200)}`
  return [{ kind: 'lost', invariant: 'A1', detail }]
}

/** B4, B5: a chat that is loaded shows what the log says up to its position. A1: the log still has that position. */
export function checkLoads(chat: ReadChat, { loads }: ReadHistory): readonly Finding[] {
  return loads.flatMap(load => (load.isCurrent ? checkLoad(chat, load) : []))
}

function checkLoad({ entries }: ReadChat, { position, seq, messages }: ReadLoad): readonly Finding[] {
  if (seq > entries.length) {
    const detail = `A chat was loaded at ${position}, but its log ends with entry ${entries.length}.`
    return [{ kind: 'lost', invariant: 'A1', detail }]
  }
  const chat = entries.slice(0, seq).reduce(fold, emptyChat())
  const shown = messagesOf(chat)
  if (isSameValue(shown, messages)) return []
  // A message is saved when it is accepted, a moment before it is in the log.
  const next = entries[seq]
  const isAhead = next?.chunk.type === 'data-message' && isSameValue(messagesOf(fold(chat, next)), messages)
  if (isAhead) return []
  const place = shown.findIndex((message, index) => !isSameValue(message, messages[index]))
  const index = place === -1 ? shown.length : place
  const detail = `A chat was loaded at ${position} with ${textOfValue(messages[index])}, and its log says ${textOfValue(shown[index])}`
  return [{ kind: 'wrong-bytes', invariant: 'B5', detail }]
}
