import fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  ChatHistory,
  Load,
  SavedChat,
  SentSubmission,
  Sighting,
  Viewer,
} from '../../src/history/chat-history.ts'
import { checkHistory } from '../../src/history/check-history.ts'
import type { Message } from '../../src/message/message.ts'
import {
  bytesOf,
  earlierEpoch,
  entriesOf,
  epoch,
  historyOf,
  loadOf,
  type MadeEntry,
  type Plan,
  plans,
  savedFrom,
} from './made-history.ts'

// Test only: plants defects into histories in which nothing is wrong.

const numRuns = Number(process.env['HISTORY_RUNS'] ?? 5)

/** A defect: the invariant that it breaks, what kind of violation that is, what was done in words, and how. */
export type Mutant = readonly [invariant: string, kind: string, name: string, plant: Plant]

/** Tests that each defect is found wherever it is planted, under its own name. */
export function testMutants(mutants: readonly Mutant[]): void {
  test.each(mutants)('%s (%s) is found: %s', (invariant, kind, _name, plant) => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, place) => {
        const found = checkHistory(plant(soundOf(plan, place)))
        expect(found).toContainEqual(expect.objectContaining({ invariant, kind, chatId: 'chat' }))
      }),
      { numRuns },
    )
  })
}

/** A sound history, and what is needed to make it again with a defect. */
export interface Sound {
  readonly plan: Plan
  readonly history: ChatHistory
  readonly entries: readonly MadeEntry[]
  readonly events: readonly string[]
  /** Chooses the place of the defect. */
  readonly place: number
}

/** Returns a history with a defect. */
export type Plant = (sound: Sound) => ChatHistory

function soundOf(plan: Plan, place: number): Sound {
  const entries = entriesOf(plan)
  const events = entries.map((entry, index) => bytesOf(entry, index + 1))
  return { plan, history: historyOf(plan, events), entries, events, place }
}

/** The log is another one than the one that viewers have seen. */
export const logged =
  (change: (sound: Sound) => readonly MadeEntry[]): Plant =>
  sound => ({
    ...sound.history,
    saved: savedFrom(change(sound).map((entry, index) => bytesOf(entry, index + 1))),
  })

/** The log is another one, and everybody has seen it so. */
export const written =
  (change: (sound: Sound) => readonly MadeEntry[]): Plant =>
  sound =>
    historyOf(
      sound.plan,
      change(sound).map((entry, index) => bytesOf(entry, index + 1)),
    )

export const sent =
  (change: (events: readonly string[], at: number) => readonly string[]): Plant =>
  ({ plan, events, place }) =>
    historyOf(plan, change(events, 1 + (place % (events.length - 2))))

/** There is one more viewer. */
export const seen =
  (change: (sound: Sound) => Omit<Viewer, 'hasStayed'> & Partial<Viewer>): Plant =>
  sound => {
    const viewers = [...(sound.history.viewers ?? []), { hasStayed: false, ...change(sound) }]
    return { ...sound.history, viewers }
  }

/** The chat was loaded once more. */
export const loaded =
  (change: (load: Load, sound: Sound) => Partial<Load>): Plant =>
  sound => {
    const load = loadOf(sound.events, inner(sound))
    return { ...sound.history, loads: [...(sound.history.loads ?? []), { ...load, ...change(load, sound) }] }
  }

export const stored =
  (change: (saved: SavedChat) => Partial<SavedChat>): Plant =>
  ({ history }) => {
    const saved = history.saved ?? savedFrom([])
    return { ...history, saved: { ...saved, ...change(saved) } }
  }

export const saved = (change: (messages: readonly Message[], answer: Message) => readonly Message[]): Plant =>
  stored(({ messages }) => {
    const answer = messages.find(({ id }) => id === 'answer-0')
    if (answer === undefined) throw new TypeError('There is no answer.')
    return { messages: change(messages, answer) }
  })

/** Something else is known of what was sent. `first` is the first message of the chat, and `second` the one after it. */
export const submitted =
  (change: (first: SentSubmission, second: SentSubmission) => readonly SentSubmission[]): Plant =>
  ({ history }) => {
    const [first, second, ...rest] = history.submissions ?? []
    if (first === undefined || second === undefined) throw new TypeError('Too few messages were sent.')
    return { ...history, submissions: [...change(first, second), ...rest] }
  }

export const stopSaid =
  (messageId: string, result: string): Plant =>
  ({ history }) => ({ ...history, stops: [{ messageId, result, ms: 1 }] })

export const worked =
  (effect: { readonly tool: string; readonly idempotencyKey: string }): Plant =>
  ({ history }) => {
    const isIdempotent = effect.tool === 'look'
    const again = { runId: 'run-0', task: 'task 1', isIdempotent, ...effect }
    return { ...history, effects: [...(history.effects ?? []), again] }
  }

type Posts = readonly { readonly key: string; readonly text: string }[]

/** The channel shows something else. Each of its blocks was sent once, and has a text of its own. */
export const posted =
  (change: (posts: Posts, at: number) => Posts): Plant =>
  ({ history, place }) => {
    const all = new Map((history.posts ?? []).map(({ key, text }) => [key, text]))
    const posts = [...all].flatMap(([key, text]) => (text.startsWith('⚠️') ? [] : [{ key, text }]))
    return { ...history, posts: change(posts, place % (posts.length - 1)) }
  }

/** Where in a log the first entry of this kind is. */
export function find(entries: readonly MadeEntry[], type: string, messageId = 'answer-0'): number {
  return entries.findIndex(entry => entry.chunk.type === type && entry.messageId === messageId)
}

export function without<Each>(list: readonly Each[], at: number): readonly Each[] {
  return list.toSpliced(at, 1)
}

/** Moves what is at one place to another one. */
export function moved<Each>(list: readonly Each[], from: number, to: number): readonly Each[] {
  return without(list, from).toSpliced(to, 0, ...list.slice(from, from + 1))
}

/** Repeats what is at a place. */
export function twice<Each>(list: readonly Each[], at: number): readonly Each[] {
  return list.toSpliced(at, 0, ...list.slice(at, at + 1))
}

/** Changes the first word of the first answer, which every log has. */
export function changed(entries: readonly MadeEntry[]): readonly MadeEntry[] {
  const wrong = { type: 'text-delta', id: 'before', delta: 'wrong ' } as const
  return entries.with(find(entries, 'text-delta'), { runId: 'run-0', messageId: 'answer-0', chunk: wrong })
}

export const inner = ({ events, place }: Sound) => 1 + (place % (events.length - 2))
export const onceAfter = (after: string, bytes: string): { readonly sightings: readonly Sighting[] } => ({
  sightings: [{ after, bytes }],
})
export const wholeLog = (events: readonly string[]) => onceAfter(`${epoch}.0`, events.join(''))
export const wasEarlier = (bytes: string) => bytes.replaceAll(`id: ${epoch}.`, `id: ${earlierEpoch}.`)
export const resetTo = (seq: number) => `event: reset\ndata: {"position":"${epoch}.${seq}"}\n\n`
export const mark = (attempt: number, { chunk }: MadeEntry) =>
  chunk.type === 'data-continued' && JSON.stringify(chunk).includes(`"attempt":${attempt}`)

export function bytesAt(events: readonly string[], at: number): string {
  return events[at] ?? ''
}

/** Gives an event another number, also within its entry. */
export function renumbered(events: readonly string[], at: number, seq: number): string {
  return bytesAt(events, at)
    .replace(`.${at + 1}\n`, `.${seq}\n`)
    .replace(`"seq":${at + 1},`, `"seq":${seq},`)
}
