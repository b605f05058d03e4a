import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from '../scripts/long-files-first.ts'
import { integrationTests, timeLimits } from '../scripts/test-groups.ts'
import { sourceConditions, useSourcesInProcesses } from '../scripts/use-sources.ts'

// As in ../vitest.config.ts: these tests start hundreds of processes, too.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/compile', import.meta.url),
)

useSourcesInProcesses()

const folder = fileURLToPath(new URL('.', import.meta.url))

// Apart from `npm test`: most of these need what `npm run test:integrations` installs, and all of them take long.
export default defineConfig({
  ...sourceConditions,
  test: {
    ...timeLimits(120),
    // More than two cores, because many tests wait for a process or a registry.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    maxConcurrency: 3,
    // Postgres for the tests that ask for it.
    globalSetup: fileURLToPath(new URL('../packages/testing/src/setup/postgres-setup.ts', import.meta.url)),
    projects: [
      {
        extends: true,
        // Pages are built as they would be for people.
        test: {
          name: 'other programs',
          root: folder,
          include: ['*.test.ts', '*/*.test.ts'],
          env: { ...timeLimits(120).env, NODE_ENV: 'production' },
        },
      },
      {
        extends: true,
        test: {
          name: 'clients and pages',
          root: fileURLToPath(new URL('..', import.meta.url)),
          include: integrationTests,
        },
      },
    ],
  },
})
