import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { memoryFolder } from './scripts/memory-folder.ts'
import { sourceConditions, useSourcesInProcesses } from './scripts/use-sources.ts'

// The tests start hundreds of database threads and processes. Node caches the code that it has compiled for them.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url))

// The tests write hundreds of databases, and sync each write. In memory a sync is free. No test needs more than that:
// processes are killed, machines are not.
const temporary = process.env['TMPDIR'] ?? memoryFolder()
if (temporary !== undefined) process.env['TMPDIR'] = temporary

useSourcesInProcesses()

// Other people's clients, pages with their development servers, and others that take long. `npm run test:integrations` runs
// them.
export const integrationTests = [
  'packages/server/test/compatibility/**/*.test.ts',
  'examples/test/**/*.test.ts',
  'apps/console/test/dev-server.test.ts',
  'apps/console/test/payloads/{payloads-whole,heavy-texts}.test.ts',
  'apps/cli/test/conformance-faults.test.ts',
  'bench/test/load/{runs,scenarios}.test.ts',
  'bench/test/scale/*.test.ts',
  'packages/server/test/nodes/node-processes.test.ts',
  'packages/store/test/postgres/query-plans.test.ts',
]

// Each of these files gets its own modules and global values, because some of them define a `window`.
export const isolatedTests = [
  'packages/client/test/{react,vue}/*.test.ts',
  'packages/client/test/chat/create-chat-{callbacks,faults}.test.ts',
]

export default defineConfig({
  ...sourceConditions,
  test: {
    // Generous, because CI machines are slow: a test that hangs still ends, one that is slow still passes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // For `expect.poll`. Its own default is a second, which is short on a busy machine. It says more than the end of a test.
    expect: { poll: { timeout: 100_000 } },
    // More than the two cores of a small machine: many tests wait for a process, a browser or a timer.
    maxWorkers: 4,
    // For the tests that ask for it: Postgres, the programs that they kill, and a folder for their browsers.
    globalSetup: [
      'packages/testing/src/setup/postgres-setup.ts',
      'packages/testing/src/setup/programs-setup.ts',
      'packages/testing/src/setup/browser-setup.ts',
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared modules',
          include: ['{packages/*,apps/*,bench,scripts,torture}/test/**/*.test.ts'],
          exclude: [...isolatedTests, ...integrationTests],
          // The files of one worker share their modules: loading these anew for every file takes a quarter of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'own modules',
          include: isolatedTests,
        },
      },
    ],
  },
})
