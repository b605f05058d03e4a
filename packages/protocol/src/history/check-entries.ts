import { type Entry, isEndChunk } from '../entries/entry.ts'
import { groupBy } from '../values/group-by.ts'
import type { Finding } from './chat-history.ts'
import type { ReadChat, ReadHistory, ReadLoad, ReadSighting } from './read-history.ts'

/**
 * A5: what a sub-agent writes stands between its call and the result of the call. A6: every message of an agent has one
 * end, and the end of the answer is the last entry of its run. A7: a run that another one has followed writes nothing
 * more. D4: no run goes on.
 */
export function checkRuns({ entries, isRunning }: ReadChat): readonly Finding[] {
  const running: readonly Finding[] = isRunning
    ? [{ kind: 'left-running', invariant: 'D4', detail: 'The server says that a run goes on.' }]
    : []
  const runs = groupBy(entries, ({ runId }) => runId)
  return [...running, ...mixedRuns(entries), ...[...runs.values()].flatMap(checkRun)]
}

function mixedRuns(entries: readonly Entry[]): readonly Finding[] {
  const over = new Set<string>()
  return entries.flatMap(({ runId, seq }, index): readonly Finding[] => {
    const before = entries[index - 1]?.runId
    if (before === undefined || before === runId) return []
    over.add(before)
    if (!over.has(runId)) return []
    return [
      { kind: 'other', invariant: 'A7', detail: `Entry ${seq} is of ${runId}, after a later run has begun.` },
    ]
  })
}

function checkRun(entries: readonly Entry[]): readonly Finding[] {
  const starts = entries.filter(({ chunk }) => chunk.type === 'start')
  const [answer] = starts
  if (answer === undefined) return []
  return [
    ...starts.flatMap(start => checkEnd(entries, start)),
    ...starts.slice(1).flatMap(start => checkSubAgent(entries, start)),
    ...checkLast(entries, answer),
  ]
}

function checkEnd(entries: readonly Entry[], { messageId, runId }: Entry): readonly Finding[] {
  const own = entries.filter(entry => entry.messageId === messageId)
  const ends = own.filter(({ chunk }) => isEndChunk(chunk)).length
  if (ends === 1) return []
  const outline = own.map(({ seq, chunk }) => `${seq} ${chunk.type}`).slice(-8)
  const detail = `Message ${messageId} of ${runId} has ${ends} ends. Its last entries: ${outline.join(', ')}. The run ends with ${entries.at(-1)?.seq} ${entries.at(-1)?.chunk.type} of ${entries.at(-1)?.messageId}.`
  return [{ kind: ends === 0 ? 'left-running' : 'doubled', invariant: 'A6', detail }]
}

function checkLast(entries: readonly Entry[], answer: Entry): readonly Finding[] {
  const last = entries.at(-1)
  if (last === undefined || (last.messageId === answer.messageId && isEndChunk(last.chunk))) return []
  // A run without any end is reported already.
  if (!entries.some(({ messageId, chunk }) => messageId === answer.messageId && isEndChunk(chunk))) return []
  const detail = `Entry ${last.seq} (${last.chunk.type}) follows the end of ${answer.runId}.`
  return [{ kind: 'other', invariant: 'A6', detail }]
}

function checkSubAgent(entries: readonly Entry[], start: Entry): readonly Finding[] {
  const { chunk, messageId, seq } = start
  const parent = chunk.type === 'start' ? parentIn(chunk.messageMetadata) : undefined
  if (parent === undefined) return []
  const isOfCall = ({ chunk }: Entry) => 'toolCallId' in chunk && chunk.toolCallId === parent
  const call = entries.find(entry => entry.chunk.type === 'tool-input-available' && isOfCall(entry))
  const result = entries.find(entry => entry.chunk.type.startsWith('tool-output-') && isOfCall(entry))
  const last = entries.findLast(entry => entry.messageId === messageId)
  const isAfterCall = call !== undefined && call.seq < seq
  const isBeforeResult = result === undefined || last === undefined || last.seq < result.seq
  if (isAfterCall && isBeforeResult) return []
  const detail = `Message ${messageId} (${seq} to ${last?.seq}) is not between its call (${call?.seq}) and the result (${result?.seq}).`
  return [{ kind: 'other', invariant: 'A5', detail }]
}

function parentIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('parent' in metadata)) return undefined
  const { parent } = metadata
  if (typeof parent !== 'object' || parent === null || !('toolCallId' in parent)) return undefined
  return String(parent.toolCallId)
}

/**
 * A7: each time that a message goes on after a crash, its mark has a higher number. No mark has a lower one than any mark
 * of the run before it.
 */
export function checkAttempts({ entries }: ReadChat): readonly Finding[] {
  return [...groupBy(entries, ({ runId }) => runId)].flatMap(([runId, ofRun]): readonly Finding[] => {
    const byMessage = [...groupBy(ofRun, ({ messageId }) => messageId).values()]
    const attempts = attemptsIn(ofRun)
    const areRising = byMessage.every(entries => isRising(attemptsIn(entries), 1)) && isRising(attempts, 0)
    if (areRising) return []
    const detail = `Run ${runId} went on with the attempts ${attempts.join(', ')}.`
    return [{ kind: 'stale', invariant: 'A7', detail }]
  })
}

function isRising(numbers: readonly number[], by: number): boolean {
  return numbers.every((number, index) => number >= (numbers[index - 1] ?? 0) + by)
}

function attemptsIn(entries: readonly Entry[]): readonly number[] {
  return entries.flatMap(({ chunk }) => {
    if (chunk.type !== 'data-continued' || !('data' in chunk)) return []
    const { data } = chunk
    return typeof data === 'object' && data !== null && 'attempt' in data ? [Number(data.attempt)] : []
  })
}

/** A2: the entries have the numbers 1, 2, 3, … and one epoch. */
export function checkNumbers({ events, entries }: ReadChat): readonly Finding[] {
  const epoch = events[0]?.position?.epoch
  return events.flatMap(({ position }, index): readonly Finding[] => {
    const expected = index + 1
    const found = entries[index]?.seq
    if (position?.seq === expected && found === expected && position.epoch === epoch) return []
    const detail = `Place ${expected} of the log has the position ${position?.epoch}.${position?.seq} and entry ${found}.`
    const isAgain = position !== undefined && position.seq < expected
    return [{ kind: isAgain ? 'doubled' : 'lost', invariant: 'A2', detail }]
  })
}

/** Something that was in the log at a time. */
interface Fact {
  readonly at: number
  readonly seq: number
  readonly what: string
}

/**
 * A4: the order of the log agrees with real time, so far as times are known: the log is linearizable. What was in the log when
 * a message was sent for the first time is before this message there: messages whose 202 had come back, ends of runs of
 * which a stop had said that they were stopped, all entries that a viewer had seen, and all that a chat had when it was loaded. And a
 * chat that is loaded has everything that was in the log when it was asked for.
 */
export function checkRealTime(chat: ReadChat, history: ReadHistory): readonly Finding[] {
  const { submissions = [], loads } = history
  const questions = questionsIn(chat)
  const facts = factsIn(chat, history, questions)
  const stale = loads.flatMap((load): readonly Finding[] => {
    const { isCurrent, askedAt = 0, position } = load
    const upTo = loadedUpTo(chat, load)
    const missed = isCurrent ? facts.find(fact => fact.at < askedAt && fact.seq > upTo) : undefined
    if (missed === undefined) return []
    const detail = `A chat was loaded at ${position}, ${Math.round(askedAt - missed.at)} ms after ${missed.what} was known, which is entry ${missed.seq}.`
    return [{ kind: 'stale', invariant: 'A4', detail }]
  })
  const early = submissions.flatMap(({ messageId, sentAt = 0 }): readonly Finding[] => {
    const seq = questions.get(messageId)?.seq ?? Infinity
    const wrong = facts.find(fact => fact.at < sentAt && fact.seq >= seq)
    if (wrong === undefined) return []
    const detail = `Message ${messageId} is entry ${seq}. It was sent ${Math.round(sentAt - wrong.at)} ms after ${wrong.what} was known, which is entry ${wrong.seq}.`
    return [{ kind: 'other', invariant: 'A4', detail }]
  })
  return [...stale, ...early]
}

/** A message is saved when it is accepted, a moment before it is in the log. */
function loadedUpTo({ entries }: ReadChat, { seq, messages }: ReadLoad): number {
  const next = entries[seq]
  const isAhead = next?.chunk.type === 'data-message' && messages.some(({ id }) => id === next.messageId)
  return isAhead ? seq + 1 : seq
}

/** Where the messages of users are in the log, by their ids. */
type Questions = ReadonlyMap<string, Pick<Entry, 'seq' | 'runId'>>

function questionsIn({ entries }: ReadChat): Questions {
  const questions = new Map<string, Entry>()
  for (const entry of entries)
    if (entry.chunk.type === 'data-message' && !questions.has(entry.messageId))
      questions.set(entry.messageId, entry)
  return questions
}

function factsIn(
  { entries }: ReadChat,
  { submissions = [], stops, viewers, loads }: ReadHistory,
  questions: Questions,
): readonly Fact[] {
  const runs = groupBy(entries, ({ runId }) => runId)
  const endOf = (messageId: string) =>
    runs.get(questions.get(messageId)?.runId ?? '')?.findLast(({ chunk }) => isEndChunk(chunk))?.seq
  return [
    ...submissions.flatMap(({ messageId, accepted }) =>
      accepted.flatMap(({ at }) => factOf(at, questions.get(messageId)?.seq, `message ${messageId}`)),
    ),
    ...stops.flatMap(({ messageId, result, at }) =>
      result === 'stopped' ? factOf(at, endOf(messageId), `the stopped answer to ${messageId}`) : [],
    ),
    ...viewers.flatMap(({ stays }) =>
      stays.flatMap(({ isCurrent, sightings }) => (isCurrent ? sightings.flatMap(factsSeen) : [])),
    ),
    ...loads.flatMap(({ isCurrent, at, seq }) =>
      isCurrent ? factOf(at, seq, 'a chat that was loaded') : [],
    ),
  ]
}

function factOf(at: number | undefined, seq: number | undefined, what: string): readonly Fact[] {
  return at === undefined || seq === undefined ? [] : [{ at, seq, what }]
}

/** An entry was seen when its last byte had come. */
function factsSeen({ events, arrivals = [] }: ReadSighting): readonly Fact[] {
  let next = 0
  return events.flatMap(({ position, endsAt }) => {
    while (next < arrivals.length && (arrivals[next]?.length ?? 0) < endsAt) next += 1
    return factOf(arrivals[next]?.at, position?.seq, 'an entry that a viewer had seen')
  })
}

/** D6: a tool that is not idempotent never does the same task twice. The others do it again only under the same key. */
export function checkEffects({ effects }: ReadHistory): readonly Finding[] {
  const tasks = groupBy(effects, ({ runId, tool, task }) => `${tool}, ${task} of ${runId}`)
  return [...tasks].flatMap(([task, times]): readonly Finding[] => {
    const keys = new Set(times.map(({ idempotencyKey }) => idempotencyKey))
    const isRepeatable = times.every(({ isIdempotent }) => isIdempotent)
    if (times.length === 1 || (isRepeatable && keys.size === 1)) return []
    const detail = `${task} was done ${times.length} times, under ${[...keys].join(' and ')}.`
    return [{ kind: 'doubled', invariant: 'D6', detail }]
  })
}
