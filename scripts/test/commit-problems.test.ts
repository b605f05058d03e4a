import { expect, test } from 'vitest'
import { commitProblems } from '../checks/commit-problems.ts'

const commit = { subject: 'Show the time of each message', body: '' }
const product = 'apps/console/src/chat/message.tsx'

test('a subject of more than 72 characters is a problem', () => {
  expect(commitProblems([{ subject: 'a'.repeat(72), body: '' }], [])).toEqual([])
  expect(commitProblems([{ subject: 'a'.repeat(73), body: '' }], [])).toEqual([
    expect.stringContaining('The subject has 73 characters.'),
  ])
})

test('a change of the product without a changeset is a problem', () => {
  expect(commitProblems([commit], [product, 'README.md'])).toEqual([
    expect.stringContaining('no changeset says what people notice'),
  ])
})

test.each([
  ['there is one', commit, [product, '.changeset/times.md']],
  ['a commit says that none is needed', { ...commit, body: 'Why.\n\nChangeset: none' }, [product]],
  [
    'only tests, docs or scripts change',
    commit,
    ['packages/log/test/a.test.ts', 'docs/a.md', 'scripts/a.ts'],
  ],
  ['only the package for tests changes', commit, ['packages/testing/src/waits/until.ts']],
])('no changeset is missing when %s', (_, one, changed) => {
  expect(commitProblems([one], changed)).toEqual([])
})
