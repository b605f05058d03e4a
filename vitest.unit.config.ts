import { matchesGlob } from 'node:path'
import { defineConfig } from 'vitest/config'
import { integrationTests, isolatedTests, timeLimits } from './scripts/test-groups.ts'
import { unitTests } from './scripts/unit-tests.ts'
import { sourceConditions } from './scripts/use-sources.ts'

const isOneOf = (globs: readonly string[]) => (file: string) => globs.some(glob => matchesGlob(file, glob))
const files = unitTests(import.meta.dirname).filter(file => !isOneOf(integrationTests)(file))

// The tests that start no process, browser, database or server: `npm run test:unit`. There is no global setup, so a test that
// needs one of these fails here.
export default defineConfig({
  ...sourceConditions,
  test: {
    ...timeLimits(15),
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared modules',
          include: files.filter(file => !isOneOf(isolatedTests)(file)),
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'own modules', include: files.filter(isOneOf(isolatedTests)) },
      },
    ],
  },
})
