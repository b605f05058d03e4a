import { emptyChat, fold, messagesOf } from '@throughline/protocol'
import { entriesOf } from '@throughline/testing/log/entries-of'
import { runEntries } from '@throughline/testing/log/run-entries'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FoldSnapshots, indexAt, playTimesOf } from '../../src/inspector/replay/replayed-log.ts'

const longText = entriesOf(
  [
    { type: 'start' },
    { type: 'text-start', id: 't' },
    ...Array.from(
      { length: 1_000 },
      (_, index) => ({ type: 'text-delta', id: 't', delta: `${index} ` }) as const,
    ),
    { type: 'text-end', id: 't' },
    { type: 'finish' },
  ],
  { messageId: 'long' },
)

test('at every position there are exactly the messages that folding the log up to it gives, in any order of asking', () => {
  fc.assert(
    fc.property(runEntries, fc.array(fc.nat(1_200)), (run, asked) => {
      const entries = [...longText, ...run.map(entry => ({ ...entry, seq: entry.seq + longText.length }))]
      const snapshots = new FoldSnapshots()
      expect(snapshots.foldOn(entries, () => true)).toBe(true)
      for (const count of [...asked, 0, entries.length, ...asked.toReversed()]) {
        const expected = messagesOf(entries.slice(0, count).reduce(fold, emptyChat()))
        expect(messagesOf(snapshots.stateAfter(count))).toEqual(expected)
      }
    }),
    { numRuns: 30 },
  )
})

test('a long log is folded in slices, goes on where it stopped, and goes on when the log has grown', () => {
  const snapshots = new FoldSnapshots()
  let slices = 0
  let turns = 0
  const onceEach = () => {
    turns += 1
    return turns % 2 === 1
  }
  const half = longText.slice(0, 500)
  while (!snapshots.foldOn(half, onceEach)) slices += 1
  expect(slices).toBeGreaterThan(1)
  expect(snapshots.count).toBe(500)
  expect(snapshots.stateAfter(2_000).seq).toBe(500)
  while (!snapshots.foldOn(longText, onceEach)) slices += 1
  expect(snapshots.stateAfter(700).seq).toBe(700)
  expect(snapshots.stateAfter(2_000).seq).toBe(longText.length)
})

test('times of play never go back, long pauses are short, and the entry of a time is the last one before it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000)), fc.nat(2_000_000), (ats, ms) => {
      const times = playTimesOf(ats.map(at => ({ at })))
      expect(times).toHaveLength(ats.length)
      for (const [index, time] of times.entries()) {
        const before = times[index - 1] ?? 0
        expect(time - before).toBeGreaterThanOrEqual(0)
        expect(time - before).toBeLessThanOrEqual(3_000)
      }
      expect(indexAt(times, ms)).toBe(times.findLastIndex(time => time <= ms))
    }),
  )
})
