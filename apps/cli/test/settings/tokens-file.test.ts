import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentEvent } from '@throughline/agents'
import type { Throughline } from '@throughline/server'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/serve/create-throughline.ts'
import { startProgram } from '../start-program.ts'

test('a token that came into the file later is hidden as the first ones are', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'tokens')
  await writeFile(path, 'ada:the-token-of-ada\n')
  const call = { toolCallId: 'one', toolName: 'look', input: {} }
  await using throughline = await createThroughline({
    data: join(folder.path, 'data'),
    env: { THROUGHLINE_TOKENS_FILE: path },
    master: 'teller',
    agents: {
      teller: {
        description: 'Tells secrets.',
        async *run(): AsyncIterable<AgentEvent> {
          yield { type: 'tool-call', ...call }
          yield { type: 'tool-result', ...call, output: 'It is the-token-of-bob.' }
          yield { type: 'finish', finishReason: 'stop' }
        },
      },
    },
  })
  await writeFile(path, 'ada:the-token-of-ada\nbob:the-token-of-bob\n')
  await expect.poll(async () => (await chats(throughline, 'the-token-of-bob')).status).toBe(200)
  const { runId } = await throughline.send({ ownerId: 'ada', chatId: 'chat', text: 'Tell me.' })
  expect(runId).toMatch(/^run_/)
  await expect
    .poll(async () => (await chats(throughline, 'the-token-of-ada', '/chat/messages')).text())
    .toContain('It is [secret].')
})

function chats(throughline: Throughline, token: string, path = ''): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  return throughline.fetch(new Request(`http://localhost/api/chats${path}`, { headers }))
}

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
