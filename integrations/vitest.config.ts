import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sourceConditions, useSourcesInProcesses } from '../scripts/use-sources.ts'

useSourcesInProcesses()

// Apart from the repository's own tests: these need what `npm run test:integrations` installs.
export default defineConfig({
  ...sourceConditions,
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts', '*/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // For `expect.poll`. Its own default is a second, which is short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Pages are built as they would be for people.
    env: { NODE_ENV: 'production' },
    maxWorkers: 2,
    maxConcurrency: 3,
  },
})
