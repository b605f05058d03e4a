import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './scripts/long-files-first.ts'
import { memoryFolder } from './scripts/memory-folder.ts'
import { integrationTests, isolatedTests, slowTests, timeLimits } from './scripts/test-groups.ts'
import { sourceConditions, useSourcesInProcesses } from './scripts/use-sources.ts'

// The tests start hundreds of database threads and processes. Node caches the code that it has compiled for them.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url))

// The tests write hundreds of databases, and sync each write. In memory a sync is free. No test needs more than that:
// processes are killed, machines are not.
const temporary = process.env['TMPDIR'] ?? memoryFolder()
if (temporary !== undefined) process.env['TMPDIR'] = temporary

useSourcesInProcesses()

export default defineConfig({
  ...sourceConditions,
  test: {
    // More than the two cores of a small machine: many tests wait for a process, a browser or a timer.
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
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
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...slowTests, ...isolatedTests, ...integrationTests],
          // The files of one worker share their modules: loading these anew for every file takes a quarter of the time.
          isolate: false,
          ...timeLimits(15),
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slowTests,
          exclude: [...isolatedTests, ...integrationTests],
          isolate: false,
          ...timeLimits(120),
        },
      },
      {
        extends: true,
        test: {
          name: 'own modules',
          include: isolatedTests,
          ...timeLimits(120),
        },
      },
    ],
  },
})
