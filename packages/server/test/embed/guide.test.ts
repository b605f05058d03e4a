import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { exampleTest } from './example-test.ts'
import { guideExample } from './guide-example.ts'

// The examples for Express, Fastify and Next are tested in integrations/.
exampleTest('node:http')
exampleTest('Hono')

test('the example for a cron job prints what the guide says', async () => {
  await using folder = await guideExample('From a cron job or a webhook')
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], { cwd: folder.path })
  expect(stdout).toBe(folder.output)
})
