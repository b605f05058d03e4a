import { expect, test } from 'vitest'
import { lineChart } from '../src/load/record/line-chart.ts'
import { recordOf, recordsFrom, withRecord } from '../src/record/bench-record.ts'
import { withTables } from '../src/record/record-tables.ts'
import type { Section } from '../src/report.ts'

const section: Section = {
  title: 'Load, idle',
  notes: [],
  columns: { ours: 'ours', other: 'raw | AI SDK', result: 'figure' },
  measurements: [
    { name: 'memory', ours: '300 MB', other: '-', ratio: 120, unit: 'MB', goal: { atMost: 250 } },
    { name: 'p99', ours: '60 ms', other: '-', ratio: 60, unit: 'ms', goal: { atMost: 50 } },
  ],
}
const picture = { file: 'load-memory.svg', alt: 'memory', svg: '' }
const result = { section, figures: { viewers: 10 }, pictures: [picture] }
const day = '2026-11-16'

test('a record replaces the record of the same scenario, and leaves the others', () => {
  const first = withRecord([], recordOf('runs', day, result))
  const both = withRecord(recordsFrom(first), recordOf('idle', day, result))
  const again = withRecord(recordsFrom(both), recordOf('runs', 'later', result))
  expect(recordsFrom(again).map(({ scenario, measured: at }) => [scenario, at])).toEqual([
    ['runs', 'later'],
    ['idle', '2026-11-16'],
  ])
})

test('the tables of all records stand between the two comments of the page', () => {
  const page = 'before\n<!-- load -->\nold\n<!-- /load -->\nafter\n'
  const written = withTables(page, 'load', [recordOf('idle', day, result)])
  expect(written).toMatch(/^before\n<!-- load -->\n### Load, idle\n[\s\S]*<!-- \/load -->\nafter\n$/)
  expect(written).toContain('![memory](images/load-memory.svg)')
  expect(written).toContain('| memory | 300 MB | - | 120 MB | <= 250 MB: met |')
  expect(written).toContain('| p99 | 60 ms | - | 60 ms | <= 50 ms: missed |')
  expect(written).toContain('raw \\| AI SDK')
  expect(withTables(written, 'load', [recordOf('idle', day, result)])).toBe(written)
})

test('a page without the comments is an error that says what to do', () => {
  expect(() => withTables('a page', 'load', [])).toThrow('Put both where the tables should stand')
})

test('a picture has a line for each series, and draws values beyond an axis at its end', () => {
  const svg = lineChart({
    title: 'A < B',
    x: { name: 'runs', ticks: [1, 10], isLogarithmic: true },
    y: { name: 'ms', ticks: [0, 100] },
    lines: [
      {
        name: 'ours',
        points: [
          [1, 50],
          [10, 500],
        ],
      },
    ],
  })
  expect(svg).toContain('A &lt; B')
  expect(svg).toContain('prefers-color-scheme: dark')
  expect(svg).toContain('points="70,195 740,60"')
})
