import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('ai-sdk-5-first/ask.ts', import.meta.url))

test('AI SDK 5.0.0 says which parameter is missing, with the first answer, and reads the answer with it', async () => {
  await using server = await startTestServer()
  const ask = async (form: string) => {
    // A process of its own: the version in that folder must not get modules of this one.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, `${server.url}/api/chat${form}`],
      {
        env: { PATH: process.env['PATH'] },
      },
    )
    return stdout
  }
  const error = await ask('')
  expect(error).toContain('Type validation failed')
  expect(error).toContain('?sdk=5')
  expect(await ask('?sdk=5')).toMatch(/^start start-step .* finish$/m)
})
