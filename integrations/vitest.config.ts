import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { integrationTests, timeLimits } from '../scripts/test-groups.ts'
import { sourceConditions, useSourcesInProcesses } from '../scripts/use-sources.ts'

useSourcesInProcesses()

const folder = fileURLToPath(new URL('.', import.meta.url))

// Apart from `npm test`: most of these need what `npm run test:integrations` installs, and all of them take long.
export default defineConfig({
  ...sourceConditions,
  test: {
    ...timeLimits(120),
    maxWorkers: 2,
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
