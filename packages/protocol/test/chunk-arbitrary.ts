import fc from 'fast-check'
import type { Chunk } from '../src/entries/chunk.ts'
import type { MessageMetadata } from '../src/message/metadata.ts'
import type { Choice, Stream } from './stream-state.ts'
import { toolKinds, toolWriters } from './tool-chunk-arbitrary.ts'

// Test only. A valid stream is more than a list of valid chunks: a delta needs its open part, an output its
// call. So a random list of moves is played against what is open, and a move that has nothing to act on is
// left out. That shrinks well, and the same moves always give the same chunks: two lists of moves that begin
// alike are two futures of one stream.

/** One random decision of the writer of a stream: what to do, and with what. */
export interface Move extends Choice {
  readonly kind: Kind
}

type Writer = (stream: Stream, move: Move) => Chunk[]

const partKinds = [
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'file',
  'reasoning-file',
  'source-url',
  'source-document',
  'custom',
  'steering-message',
  'data',
  'data-with-id',
  'data-transient',
  'message-metadata',
  'start-step',
  'finish-step',
  'reset-step',
] as const
const kinds = [...partKinds, ...toolKinds]
export type Kind = (typeof kinds)[number]

/** JSON without the keys and numbers that the AI SDK's own partial parser misreads. */
export const plainJson = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false, '', 0),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.integer(),
    // JSON has no negative zero.
    fc.double({ min: -1e6, max: 1e6, noNaN: true }).map(number => number + 0),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', '键', ' '), maxLength: 3 }), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value

const metadata: fc.Arbitrary<MessageMetadata> = fc.record(
  {
    senderName: fc.string(),
    createdAt: fc.constant('2026-01-02T03:04:05Z'),
    usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat(), totalTokens: fc.nat() }),
    tags: fc.array(fc.constantFrom('a', 'b')),
    extra: fc.dictionary(fc.constantFrom('a', 'b'), plainJson),
  },
  { requiredKeys: [] },
)

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(
    fc.constantFrom(...kinds),
    // Moves that need something to act on are left out more often. So they are generated more often.
    fc.constantFrom<Kind[]>('text-start', 'text-delta', 'text-end', 'reasoning-delta', 'reasoning-end'),
    fc.constantFrom<Kind[]>(...toolKinds, 'tool-input-start', 'tool-input-delta', 'tool-input-delta'),
  ),
  pick: fc.nat(5),
  id: fc.constantFrom('a', 'b', 'c'),
  flag: fc.boolean(),
  text: fc.string({ unit: 'grapheme', maxLength: 8 }),
  json: plainJson,
  metadata,
  provider: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ providerMetadata: fc.constant({ maker: { signature: 's' } }) }) },
    { weight: 1, arbitrary: fc.record({ providerMetadata: fc.constant({ other: { kept: 'k' } }) }) },
  ),
})

export const moves = fc.array(move, { maxLength: 60, size: 'max' })

const endChunk: fc.Arbitrary<Chunk[]> = fc.oneof(
  fc.constant<Chunk[]>([]),
  metadata.map((messageMetadata): Chunk[] => [{ type: 'finish', messageMetadata }]),
  fc.constant<Chunk[]>([{ type: 'finish', finishReason: 'stop' }]),
  fc.constant<Chunk[]>([{ type: 'abort', reason: 'stopped' }]),
  fc.constant<Chunk[]>([{ type: 'error', errorText: 'The model is gone.' }]),
)

/** A valid stream of one message, from its start on. It may have an end, or break off. */
export function chunkStream(options: { messageId: string; isRestorable?: boolean }): fc.Arbitrary<Chunk[]> {
  return fc.tuple(moves, endChunk).map(([played, end]) => [...chunksOf(played, options), ...end])
}

/** Plays the moves with valid ids and open parts. Leaves out moves that are impossible. */
export function chunksOf(
  played: readonly Move[],
  options: { messageId: string; isRestorable?: boolean },
): Chunk[] {
  const stream: Stream = { step: 0, open: [], calls: [], isRestorable: options.isRestorable ?? false }
  const start: Chunk = { type: 'start', messageId: options.messageId }
  return fromWire([start, ...played.flatMap(each => writers[each.kind](stream, each))])
}

/** Returns the chunks as a reader gets them, after a way through JSON. No object is shared. */
export function fromWire(chunks: readonly Chunk[]): Chunk[] {
  return JSON.parse(JSON.stringify(chunks))
}

const writers: Record<Kind, Writer> = {
  ...toolWriters,
  'text-start': (stream, move) => startPart(stream, move, 'text'),
  'reasoning-start': (stream, move) => startPart(stream, move, 'reasoning'),
  'text-delta': (stream, move) =>
    openPart(stream, move, 'text').map(({ id }) => ({
      type: 'text-delta',
      id,
      delta: move.text,
      ...move.provider,
    })),
  'reasoning-delta': (stream, move) =>
    openPart(stream, move, 'reasoning').map(({ id }) => ({
      type: 'reasoning-delta',
      id,
      delta: move.text,
      ...move.provider,
    })),
  'text-end': (stream, move) =>
    endPart(stream, move, 'text').map(({ id }) => ({
      type: 'text-end',
      id,
      ...move.provider,
      ...(move.flag ? { citations: [citation] } : {}),
    })),
  'reasoning-end': (stream, move) =>
    endPart(stream, move, 'reasoning').map(({ id }) => ({ type: 'reasoning-end', id, ...move.provider })),
  file: (_, { text, provider }) => [{ type: 'file', url: text, mediaType: 'image/png', ...provider }],
  'reasoning-file': (_, { text, provider }) => [
    { type: 'reasoning-file', url: text, mediaType: 'image/png', ...provider },
  ],
  'source-url': (_, { id, text, flag, provider }) => [
    { type: 'source-url', sourceId: id, url: text, ...(flag ? { title: text } : {}), ...provider },
  ],
  'source-document': (_, { id, text, provider }) => [
    { type: 'source-document', sourceId: id, mediaType: 'text/plain', title: text, ...provider },
  ],
  custom: (_, { provider }) => [{ type: 'custom', kind: 'maker.kind', ...provider }],
  'steering-message': (_, { id, text }) => [
    { type: 'steering-message', id, parts: [{ type: 'text', text }] },
  ],
  data: (_, { json }) => [{ type: 'data-note', data: json }],
  'data-with-id': (_, { id, json, flag }) => [{ type: flag ? 'data-note' : 'data-chart', id, data: json }],
  'data-transient': (_, { id, json }) => [{ type: 'data-note', id, data: json, transient: true }],
  'message-metadata': (_, move) => [{ type: 'message-metadata', messageMetadata: move.metadata }],
  'start-step': stream => {
    stream.step += 1
    return [{ type: 'start-step' }]
  },
  'finish-step': () => [{ type: 'finish-step' }],
  'reset-step': stream => {
    const { step, open, calls, isRestorable } = stream
    // A reset ends every open part, also those of earlier steps. These keep the state "streaming" for ever.
    if (isRestorable && open.some(part => part.step < step)) return []
    open.length = 0
    calls.splice(0, calls.length, ...calls.filter(call => call.step < step))
    return [{ type: 'reset-step' }]
  },
}

const citation = {
  source: { type: 'source', sourceType: 'url', id: 'source', url: 'https://example.com' },
  startIndex: 0,
} as const

function startPart(stream: Stream, { id, provider }: Move, type: 'text' | 'reasoning'): Chunk[] {
  const isTaken = stream.open.some(part => part.type === type && (stream.isRestorable || part.id === id))
  if (isTaken) return []
  stream.open.push({ id, type, step: stream.step })
  return [{ type: `${type}-start`, id, ...provider }]
}

function openPart({ open }: Stream, { pick }: Move, type: 'text' | 'reasoning'): Stream['open'] {
  const ofType = open.filter(part => part.type === type)
  return ofType.slice(pick % ofType.length).slice(0, 1)
}

function endPart(stream: Stream, move: Move, type: 'text' | 'reasoning'): Stream['open'] {
  const ended = openPart(stream, move, type)
  for (const part of ended) stream.open.splice(stream.open.indexOf(part), 1)
  return ended
}
