import fc from 'fast-check'
import type { Chunk } from '../../src/entries/chunk.ts'
import { continuedChunk } from '../../src/entries/own-chunks.ts'
import { formatPosition } from '../../src/entries/position.ts'
import { emptyChat, messagesOf } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import type { ChatHistory, Load, Sighting, Viewer } from '../../src/history/chat-history.ts'
import { entryIn, loggedEventsIn } from '../../src/history/sse-recorder.ts'
import type { Message } from '../../src/message/message.ts'
import { encodeSse } from '../../src/wire/sse.ts'

// Test only: random histories in which nothing is wrong. They are made from a plan, so that a test can make the same history
// again with a defect in it.

export const epoch = '0123456789abcdef'
export const earlierEpoch = 'fedcba9876543210'

/** A chunk of a made log. */
export interface MadeEntry {
  readonly runId: string
  readonly messageId: string
  readonly chunk: Chunk
}

/** One question and its answer. */
interface Turn {
  /** The words before the tools, and those after them. */
  readonly words: readonly [number, number]
  readonly hasTool: boolean
  readonly hasSubAgent: boolean
  /** How often the answer went on after a crash. */
  readonly attempts: number
  readonly end: 'finished' | 'stopped' | 'failed'
  /** How often the question was sent. */
  readonly copies: number
}

export interface Plan {
  readonly turns: readonly Turn[]
  /** Where the connections of viewers are cut, as shares of the log. */
  readonly cuts: readonly number[]
  /** How many words a block of the channel has. */
  readonly wordsPerBlock: number
}

const count = fc.integer({ min: 1, max: 4 })
const turn = fc.record<Turn>({
  words: fc.tuple(count, count),
  hasTool: fc.boolean(),
  hasSubAgent: fc.boolean(),
  attempts: fc.nat({ max: 2 }),
  end: fc.constantFrom('finished', 'stopped', 'failed'),
  copies: fc.integer({ min: 1, max: 3 }),
})
// Everything occurs in the first turns, so that every defect finds a place.
const fullTurn = turn.map(each => ({ ...each, hasTool: true, hasSubAgent: true, attempts: 2 }))

/** Random plans. The first answer has finished, and the second one was stopped. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  turns: fc
    .tuple(fullTurn, turn, fc.array(turn, { maxLength: 2 }))
    .map(([first, second, more]) => [
      { ...first, end: 'finished' as const },
      { ...second, end: 'stopped' as const },
      ...more,
    ]),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }),
  wordsPerBlock: count,
})

/** Returns the log of a plan. */
export function entriesOf({ turns }: Plan): readonly MadeEntry[] {
  return turns.flatMap(entriesOfTurn)
}

function entriesOfTurn(planned: Turn, index: number): readonly MadeEntry[] {
  const { hasTool, hasSubAgent, attempts, end } = planned
  const [runId, question, answer, child] = ['run', 'question', 'answer', 'child'].map(id => `${id}-${index}`)
  if (runId === undefined || question === undefined || answer === undefined || child === undefined) return []
  const of = (messageId: string, ...chunks: readonly Chunk[]) =>
    chunks.map(chunk => ({ runId, messageId, chunk }))
  const [before, after] = wordsOf(planned, index)
  const text = (id: string, words: readonly string[]): readonly Chunk[] => [
    { type: 'text-start', id },
    ...words.map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
  const goOn = (attempt: number) => continuedChunk({ attempt, at: '2026-01-02T03:04:05Z', isStepCut: false })
  return [
    ...of(question, userChunk(question, `Question ${index}`)),
    ...of(answer, { type: 'start', messageId: answer, messageMetadata: { status: 'streaming' } }),
    ...of(answer, ...text('before', before)),
    ...of(answer, ...Array.from({ length: attempts }, (_, attempt) => goOn(attempt + 1))),
    ...(hasTool ? of(answer, calls('pay', `pay-${index}`), returns(`pay-${index}`)) : []),
    ...(hasSubAgent
      ? [
          ...of(answer, calls('subAgent', `delegate-${index}`)),
          ...of(
            child,
            {
              type: 'start',
              messageId: child,
              messageMetadata: {
                status: 'streaming',
                parent: { messageId: answer, toolCallId: `delegate-${index}` },
              },
            },
            ...text('child', ['found ', 'it ']),
            { type: 'finish', messageMetadata: { status: 'finished' } },
          ),
          ...of(answer, returns(`delegate-${index}`)),
        ]
      : []),
    ...of(answer, ...text('after', after), ...endOf(end)),
  ]
}

function calls(toolName: string, toolCallId: string): Chunk {
  return { type: 'tool-input-available', toolCallId, toolName, input: {} }
}

function returns(toolCallId: string): Chunk {
  return { type: 'tool-output-available', toolCallId, output: 'done' }
}

function endOf(end: Turn['end']): readonly Chunk[] {
  if (end === 'finished') return [{ type: 'finish', messageMetadata: { status: 'finished' } }]
  const status: Chunk = { type: 'message-metadata', messageMetadata: { status: end } }
  return [status, end === 'stopped' ? { type: 'abort', reason: end } : { type: 'error', errorText: end }]
}

/** Returns what an answer says before its tools, and after them. */
function wordsOf(
  { words: [before, after] }: Turn,
  index: number,
): readonly [readonly string[], readonly string[]] {
  const words = Array.from({ length: before + after }, (_, word) => `w${index}-${word} `)
  return [words.slice(0, before), words.slice(before)]
}

export function userChunk(id: string, text: string): Chunk {
  const message = { id, role: 'user', parts: [{ type: 'text', text }] } as const
  return { type: 'data-message', id, data: message, transient: true }
}

/** Returns the bytes of one entry of a log. */
export function bytesOf({ runId, messageId, chunk }: MadeEntry, seq: number, ofEpoch = epoch): string {
  const data = JSON.stringify({ seq, at: seq, runId, messageId, chunk })
  return Buffer.from(encodeSse({ id: formatPosition({ epoch: ofEpoch, seq }), data })).toString('latin1')
}

/** Returns the history of a plan, in which the log has these events, and everybody has seen them. */
export function historyOf(plan: Plan, events: readonly string[]): ChatHistory {
  return {
    chatId: 'chat',
    saved: savedFrom(events),
    submissions: plan.turns.map(({ copies, ...rest }, index) => ({
      messageId: `question-${index}`,
      text: `Question ${index}`,
      // Nobody knows what the agent of an answer that was cut off would have said next.
      said: [
        ...wordsOf({ copies, ...rest }, index).flat(),
        ...(rest.end === 'finished' ? [] : ['more']),
      ].join(''),
      sentAt: sentAt(index),
      accepted: Array.from({ length: copies }, (_, copy) => ({
        runId: `run-${index}`,
        responseMessageId: `answer-${index}`,
        at: sentAt(index) + 100 + copy,
      })),
    })),
    viewers: viewersOf(plan, events),
    loads: plan.cuts.map(cut => loadOf(events, Math.floor(cut * events.length))),
    stops: plan.turns.map(({ end }, index) => ({
      messageId: `question-${index}`,
      result: end === 'stopped' ? 'stopped' : 'already-ended',
      ms: 1,
      at: sentAt(index) + 900,
    })),
    effects: plan.turns.flatMap((_, index) => effectsOf(`run-${index}`)),
    posts: postsOf(plan),
  }
}

function sentAt(turn: number): number {
  return 1_000 * (turn + 1)
}

/** Returns what a server has saved from these events. A bad log may have an entry that cannot be folded: it is left out. */
export function savedFrom(events: readonly string[]) {
  const log = events.join('')
  let chat = emptyChat()
  for (const event of loggedEventsIn(log)) {
    try {
      chat = fold(chat, entryIn(event))
    } catch {
      // The checks find the same.
    }
  }
  const messages: readonly Message[] = JSON.parse(JSON.stringify(messagesOf(chat)))
  return { log, messages, isRunning: false }
}

/** Returns the chat as somebody loads it who asks right after an entry was written. */
export function loadOf(events: readonly string[], seq: number): Load {
  const { messages } = savedFrom(events.slice(0, seq))
  const askedAt = seq === 0 ? 0 : sentAt(turnOf(events[seq - 1] ?? ''))
  return { position: `${epoch}.${seq}`, messages, askedAt, at: askedAt + 10 }
}

function viewersOf({ cuts }: Plan, events: readonly string[]): readonly Viewer[] {
  const log = events.join('')
  const middle = Math.floor((cuts[0] ?? 0) * events.length)
  const [isCut, isLate] = [
    log.slice(0, Math.floor((cuts[0] ?? 0) * log.length)),
    `retry: 1000\n\n: heartbeat\n\n${events.slice(middle).join('')}`,
  ]
  const reset = encodeSse({ event: 'reset', data: JSON.stringify({ position: `${epoch}.${middle}` }) })
  // It was there before the log got another epoch.
  const early = {
    after: `${earlierEpoch}.0`,
    bytes: events.slice(0, middle).join('').replaceAll(`id: ${epoch}.`, `id: ${earlierEpoch}.`) + reset,
  }
  const late = { after: `${epoch}.${middle}`, bytes: isLate }
  return [
    { sightings: connectionsOf(log, cuts), hasStayed: true },
    { sightings: [late], hasStayed: true },
    { sightings: [early, late], hasStayed: true },
    { sightings: [{ after: `${epoch}.0`, bytes: isCut }], hasStayed: false },
    { sightings: [{ after: 'nonsense', bytes: reset }], hasStayed: false },
    { sightings: [{ after: `${earlierEpoch}.7`, bytes: '' }], hasStayed: false },
  ]
}

/** Cuts a log into what a viewer gets on several connections: each begins after the last whole event of the one before. */
function connectionsOf(log: string, cuts: readonly number[]): readonly Sighting[] {
  const sightings: Sighting[] = []
  let [begin, after] = [0, `${epoch}.0`]
  for (const cut of [...cuts.toSorted((one, other) => one - other), 1]) {
    const bytes = log.slice(begin, Math.max(begin, Math.floor(cut * log.length)))
    sightings.push({ after, bytes, arrivals: arrivalsOf(bytes) })
    const last = loggedEventsIn(bytes).at(-1)
    if (last?.position === undefined) continue
    begin += last.endsAt
    after = formatPosition(last.position)
  }
  return sightings
}

/** An entry comes half a second after its question was sent. */
function arrivalsOf(bytes: string) {
  return loggedEventsIn(bytes).map(({ data, endsAt }) => {
    return { at: sentAt(turnOf(data)) + 500, length: endsAt }
  })
}

function turnOf(entry: string): number {
  return Number(/"runId":"run-(\d+)"/.exec(entry)?.[1])
}

function effectsOf(runId: string) {
  const effect = { runId, task: 'task 1', idempotencyKey: `${runId}:call-1` }
  const look = { ...effect, tool: 'look', isIdempotent: true }
  return [{ ...effect, tool: 'pay', isIdempotent: false }, look, look]
}

/** A channel posts some words at a time. It sends every other block again, because it was not confirmed. */
function postsOf({ turns, wordsPerBlock }: Plan) {
  return turns.flatMap((planned, index) => {
    const words = wordsOf(planned, index).flat()
    const blocks = Array.from({ length: Math.ceil(words.length / wordsPerBlock) }, (_, block) => ({
      key: `answer-${index}:${block}`,
      text: words
        .slice(block * wordsPerBlock, (block + 1) * wordsPerBlock)
        .join('')
        .trim(),
    }))
    const notice = { key: `answer-${index}:end`, text: `⚠️ This answer was ${planned.end}.` }
    const posted = planned.end === 'finished' ? blocks : [...blocks, notice]
    return posted.flatMap((post, place) => (place % 2 === 0 ? [post, post] : [post]))
  })
}
