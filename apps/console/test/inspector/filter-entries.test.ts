import type { Entry } from '@throughline/protocol'
import { entriesOf, runIdOf, userMessage } from '@throughline/testing/log/entries-of'
import { runEntries } from '@throughline/testing/log/run-entries'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { authorsIn } from '../../src/inspector/entries/authors.ts'
import {
  agentOf,
  filterChoices,
  filterEntries,
  noFilter,
  summaryOf,
} from '../../src/inspector/entries/log-entries.ts'
import { entrySize } from '../../src/inspector/entries/log-reader.ts'
import { runsOf, scopeOf } from '../../src/inspector/entries/scope.ts'
import { sizeLabel } from '../../src/text/size-label.ts'

test('the filters divide every log: each entry is shown for exactly one type, one agent and one message', () => {
  fc.assert(
    fc.property(runEntries, entries => {
      const authors = authorsIn(entries)
      const { types, authors: found } = filterChoices({ entries }, authors)
      const all = entries.map((_, index) => index)
      const shownFor = (filters: readonly Partial<typeof noFilter>[]) =>
        filters
          .flatMap(filter => filterEntries({ entries }, authors, { ...noFilter, ...filter }))
          .sort((one, other) => one - other)
      expect(filterEntries({ entries }, authors, noFilter)).toEqual(all)
      expect(shownFor(types.map(({ type }) => ({ type })))).toEqual(all)
      expect(shownFor([...new Set(found.map(agentOf))].map(agent => ({ agent })))).toEqual(all)
      expect(shownFor(found.map(({ messageId }) => ({ messageId })))).toEqual(all)
    }),
  )
})

test('any chunk can be said in one short line', () => {
  fc.assert(
    fc.property(runEntries, entries => {
      for (const { chunk } of entries) {
        const summary = summaryOf(chunk)
        expect(summary).not.toContain('\n')
        expect(summary.length).toBeLessThan(1_000)
      }
    }),
  )
})

test('an answer brings its question and its sub-agents, and nothing of another answer', () => {
  const first = entriesOf([userMessage('u1', ' Hello\n there ')], { messageId: 'u1' })
  const answer = entriesOf([{ type: 'start', messageMetadata: { senderName: 'Ada' } }, { type: 'finish' }], {
    messageId: 'a1',
    after: 1,
  })
  const run = [...first, ...answer]
  const other: readonly Entry[] = entriesOf([userMessage('u2', 'More')], { messageId: 'u2', after: 3 }).map(
    entry => ({ ...entry, runId: runIdOf('other') }),
  )
  const entries = [...run, ...other]
  const log = { entries, sizes: entries.map(entrySize) }
  const [choice] = runsOf(authorsIn(entries))
  expect(choice).toMatchObject({ messageId: 'a1', name: 'Ada', question: 'Hello there' })
  expect(scopeOf(log, choice?.runId).entries).toEqual(run)
  expect(scopeOf(log, choice?.runId).sizes).toEqual(log.sizes.slice(0, 3))
  expect(scopeOf(log, undefined)).toBe(log)
})

test('sizes are counted in bytes, not in characters', () => {
  const [one, two] = ['a', '你'].map(delta =>
    entriesOf([{ type: 'text-delta', id: 't', delta }], { messageId: 'm' }).map(entrySize),
  )
  expect((two?.[0] ?? 0) - (one?.[0] ?? 0)).toBe(2)
  expect([0, 1023, 1024, 1536, 20_480, 5 * 1024 ** 2].map(sizeLabel)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KB',
    '1.5 KB',
    '20 KB',
    '5.0 MB',
  ])
})
