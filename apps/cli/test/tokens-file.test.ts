import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { startProgram } from './start-program.ts'

test('a change of the file with the tokens counts without a restart, and ends the streams of who is not in it', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'tokens')
  await writeFile(path, 'ada:the-token-of-ada\nbob:the-token-of-bob\n')
  const env = { PORT: '0', THROUGHLINE_DATA: join(folder.path, 'data'), THROUGHLINE_TOKENS_FILE: path }
  const program = startProgram(['serve'], env)
  const [, url = ''] = /listens at (\S+)/.exec(await program.until('listens at')) ?? []
  const get = (token: string) =>
    fetch(`${url}/api/chats-stream`, { headers: { authorization: `Bearer ${token}` } })
  await using ofAda = new SseBytes(await get('the-token-of-ada'))
  await using ofBob = new SseBytes(await get('the-token-of-bob'))

  // A wrong line changes nothing.
  await writeFile(path, 'bob:the-token-of-bob\ncyd\n')
  await program.until(`line 2 of ${path}`)
  const stillAda = await get('the-token-of-ada')
  expect(stillAda.status).toBe(200)
  await stillAda.body?.cancel()

  await writeFile(path, 'bob:the-token-of-bob\ncyd:the-token-of-cyd\n')
  await expect(ofAda.rest()).rejects.toThrow()
  expect((await get('the-token-of-ada')).status).toBe(401)
  const ofCyd = await get('the-token-of-cyd')
  expect(ofCyd.status).toBe(200)
  await ofCyd.body?.cancel()
  expect((await get('the-token-of-bob')).status).toBe(200)
  await ofBob.until('data')
  program.signal('SIGTERM')
  expect((await program.ended).code).toBe(0)
  expect((await program.ended).output).not.toContain('the-token-of')
})
