import type { Chunk, EntryDraft } from '@throughline/protocol'
import { heldWrites, isPending, settle } from '@throughline/testing/faults/held-writes'
import { draftOf } from '@throughline/testing/log/log-drafts'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batchDeltas } from '../src/batch-deltas.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('whatever is emitted and however slow writes are, every part has the same text before every chunk that is no delta', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async steps => {
      // Throws when there are two writes at the same time, or when a write has no drafts.
      const log = heldWrites()
      const batch = batchDeltas(log.append, { maxWaitingChars: 30 })
      const emits: Promise<void>[] = []
      for (const { type, draft, ms } of steps) {
        if (type === 'emit') emits.push(batch.emit(draft))
        if (type === 'wait') vi.advanceTimersByTime(ms)
        if (type === 'finish' && log.isUnderWay) await log.finish()
      }
      const flushed = batch.flush()
      while (await isPending(flushed)) await log.finish()
      await Promise.all([flushed, ...emits])
      expect(log.isUnderWay).toBe(false)
      expect(vi.getTimerCount()).toBe(0)
      const emitted = steps.flatMap(({ type, draft }) => (type === 'emit' ? [draft] : []))
      expect(milestonesOf(log.started.flat())).toEqual(milestonesOf(emitted))
    }),
    { numRuns: 300 },
  )
})

test('with a log that is free, a delta waits at most 50 ms, and a part’s first delta and ten characters not at all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async steps => {
      const waiting = new Map<string, { at: number; chars: number; isFirst: boolean }>()
      const batch = batchDeltas(async drafts => {
        for (const key of drafts.flatMap(draft => deltaOf(draft)?.key ?? [])) waiting.delete(key)
      })
      const begun = new Set<string>()
      for (const { type, draft, ms } of steps) {
        if (type === 'wait') vi.advanceTimersByTime(ms)
        if (type === 'emit') {
          const delta = deltaOf(draft)
          if (delta === undefined) begun.delete(partOf(draft) ?? '')
          else {
            const { at, chars } = waiting.get(delta.key) ?? { at: Date.now(), chars: 0 }
            waiting.set(delta.key, { at, chars: chars + delta.text.length, isFirst: !begun.has(delta.key) })
            begun.add(delta.key)
          }
          await batch.emit(draft)
        }
        await settle()
        for (const { at, chars, isFirst } of waiting.values()) {
          expect(isFirst).toBe(false)
          expect(chars).toBeLessThan(10)
          expect(Date.now() - at).toBeLessThan(50)
        }
      }
      await batch.flush()
      expect(waiting.size).toBe(0)
    }),
    { numRuns: 150 },
  )
})

/** Returns every chunk that is no delta, with the texts of all parts before it; and the texts at the end. */
function milestonesOf(drafts: readonly EntryDraft[]): unknown[] {
  const received: Record<string, { text: string; metadata: unknown }> = {}
  const milestones: unknown[] = []
  for (const draft of drafts) {
    const delta = deltaOf(draft)
    if (delta === undefined) {
      milestones.push({ draft, received: { ...received } })
      continue
    }
    const { text = '', metadata } = received[delta.key] ?? {}
    received[delta.key] = { text: text + delta.text, metadata: delta.metadata ?? metadata }
  }
  return [...milestones, received]
}

function deltaOf(draft: EntryDraft): { key: string; text: string; metadata?: unknown } | undefined {
  const { chunk } = draft
  const key = partOf(draft) ?? ''
  if (chunk.type === 'tool-input-delta') return { key, text: chunk.inputTextDelta }
  if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta') return undefined
  return { key, text: chunk.delta, metadata: chunk.providerMetadata }
}

/** The part that a chunk begins, continues or ends. */
function partOf({ messageId, chunk }: EntryDraft): string | undefined {
  if (chunk.type === 'text-start' || chunk.type === 'text-delta' || chunk.type === 'text-end')
    return `${messageId} text ${chunk.id}`
  if (chunk.type === 'reasoning-delta') return `${messageId} reasoning ${chunk.id}`
  if (chunk.type === 'tool-input-start' || chunk.type === 'tool-input-delta')
    return `${messageId} tool ${chunk.toolCallId}`
  return undefined
}

const id = fc.constantFrom('a', 'b')
const text = fc.string({ unit: 'grapheme', maxLength: 7 })
const providerMetadata = fc.constantFrom({ maker: { signature: 's' } }, { other: { kept: 'k' } })

const delta: fc.Arbitrary<Chunk> = fc.oneof(
  fc.record({ type: fc.constant('text-delta'), id, delta: text }),
  fc.record({ type: fc.constant('text-delta'), id, delta: text, providerMetadata }),
  fc.record({ type: fc.constant('reasoning-delta'), id, delta: text }),
  fc.record({ type: fc.constant('tool-input-delta'), toolCallId: id, inputTextDelta: text }),
)
const other: fc.Arbitrary<Chunk> = fc.oneof(
  fc.record({ type: fc.constantFrom('text-start', 'text-end'), id }),
  fc.record({ type: fc.constant('tool-input-start'), toolCallId: id, toolName: fc.constant('weather') }),
  fc.record({ type: fc.constant('tool-output-available'), toolCallId: id, output: fc.nat() }),
  fc.record({ type: fc.constant('data-note'), data: fc.nat() }),
  fc.constant<Chunk>({ type: 'finish-step' }),
)
const draft = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: delta }, { weight: 2, arbitrary: other }),
    fc.constantFrom('master', 'sub'),
  )
  .map(([chunk, messageId]) => draftOf(chunk, messageId))
const step = fc.record({
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant('emit') },
    { weight: 2, arbitrary: fc.constant('wait') },
    { weight: 3, arbitrary: fc.constant('finish') },
  ),
  draft,
  ms: fc.integer({ min: 1, max: 60 }),
})
