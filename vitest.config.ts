import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{packages,apps}/*/test/**/*.test.ts', '{bench,examples,scripts}/test/**/*.test.ts'],
    // Generous, because CI machines are slow: a test that hangs still ends, one that is slow still passes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
