import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { withRecord } from '../src/report/record.ts'
import type { ScenarioResult } from '../src/scenarios/run-scenario.ts'
import { emptyTally } from '../src/scenarios/tally.ts'

const result: ScenarioResult = {
  ...emptyTally,
  name: 'kills',
  done: 5_000,
  runs: 40_000,
  shownChunks: 1_000_000,
  seed: 7,
  cases: 500,
  failedSeed: undefined,
  durationMs: 600_000,
}
const run = { at: new Date('2026-01-02T03:04:05Z'), results: [{ ...result, unit: 'kills' as const }] }

test('a record replaces the one before it, and the rest of the page stays', async () => {
  const page = await readFile(new URL('../../docs/torture.md', import.meta.url), 'utf8')
  const once = withRecord(page, run)
  expect(once).toContain('2026-01-02, ')
  expect(once).toContain(
    '| kills | 5,000 kills | 40,000 | 1,000,000 | 0 lost, 0 doubled, 0 wrong bytes, 0 runs left running | 7 | 10.0 min |',
  )
  expect(withRecord(once, run)).toBe(once)
  expect(once.slice(0, page.indexOf('<!--'))).toBe(page.slice(0, page.indexOf('<!--')))
})

test('a page without a place for the record says what to add', () => {
  expect(() => withRecord('# Torture', run)).toThrow('docs/torture.md has no place for the record')
})
