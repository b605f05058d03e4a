import { expect, test } from 'vitest'
import { checkTakeovers } from '../../src/history/check-takeovers.ts'

const owned = (node: string | null, at: number, status = 'running') => {
  return { runId: 'run-1', chatId: 'chat', node, status, at }
}
const deathOf = (node: string, at: number) => ({ node, at })
const writtenAt = (...times: readonly number[]) => new Map([['run-1', times]])

test('the time counts from the death of the node to the next entry of its run', () => {
  const found = checkTakeovers({
    deaths: [deathOf('a', 10_000)],
    changes: [owned('a', 1_000), owned('b', 26_000), owned('b', 40_000, 'finished')],
    written: writtenAt(2_000, 10_050, 27_000, 28_000),
  })
  expect(found).toEqual({ takeoversMs: [17_000], violations: [] })
})

test('the end of a run counts too, if no entry is left to be written', () => {
  const found = checkTakeovers({
    deaths: [deathOf('a', 10_000)],
    changes: [owned('a', 1_000), owned('b', 26_000), owned('b', 26_500, 'finished')],
    written: writtenAt(2_000, 9_000),
  })
  expect(found).toEqual({ takeoversMs: [16_500], violations: [] })
})

test('when the next node dies too before it has written anything, the time counts from the last death', () => {
  const found = checkTakeovers({
    deaths: [deathOf('a', 10_000), deathOf('b', 27_000)],
    changes: [owned('a', 1_000), owned('b', 26_000), owned('c', 44_000), owned('c', 60_000, 'finished')],
    written: writtenAt(2_000, 45_000),
  })
  expect(found).toEqual({ takeoversMs: [18_000], violations: [] })
})

test('deaths of other nodes, and deaths after the end of a run, do not count', () => {
  const found = checkTakeovers({
    deaths: [deathOf('b', 2_000), deathOf('a', 10_000)],
    changes: [owned('a', 1_000), owned('a', 9_000, 'finished')],
    written: writtenAt(1_500),
  })
  expect(found).toEqual({ takeoversMs: [], violations: [] })
})

test.each([
  ['after more than 20 seconds', [30_001], 'went on after 20001 ms'],
  ['never', [9_000], 'went on never'],
])('a run that goes on %s is found', (_name, times, told) => {
  const { violations } = checkTakeovers({
    deaths: [deathOf('a', 10_000)],
    changes: [owned('a', 1_000)],
    written: writtenAt(...times),
  })
  expect(violations).toMatchObject([{ kind: 'left-running', invariant: 'D4', chatId: 'chat' }])
  expect(violations[0]?.detail).toContain(told)
})
