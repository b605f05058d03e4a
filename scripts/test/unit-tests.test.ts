import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { integrationTests, isolatedTests, longTests, slowTests } from '../test-groups.ts'
import { unitTests } from '../unit-tests.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const listed = unitTests(root)

test('tests of pure code are unit tests', () => {
  expect(listed).toContain('packages/agents/test/definitions/validate-definition.test.ts')
  expect(listed).toContain('packages/channels/test/cutting/block-chunker.test.ts')
  expect(listed.length).toBeGreaterThan(100)
})

test.each([
  ['a browser', 'apps/console/test/agents/definitions-page.test.ts'],
  ['a process', 'packages/server/test/resume/kill-9.test.ts'],
  ['a server', 'packages/server/test/definitions/definitions.test.ts'],
  ['Postgres', 'packages/store/test/postgres/query-plans.test.ts'],
])('a test that starts %s is none, also when a helper does it', (_, file) => {
  expect(listed).not.toContain(file)
})

test.each([...slowTests, ...isolatedTests, ...integrationTests, ...longTests])(
  'test-groups.ts: %s finds tests',
  glob => {
    expect(globSync(glob, { cwd: root }).length).toBeGreaterThan(0)
  },
)
