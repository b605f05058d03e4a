import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textOf } from '@throughline/protocol/message'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { expect, test } from 'vitest'
import { startProgram } from '../apps/cli/test/start-program.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const recorded = (turn: 1 | 2) =>
  ({ type: 'recording', name: `openai-responses.text-tool-text.${turn}`, style: 'openai' }) as const

test('the first agent of the guide answers on a server, with its tool', async () => {
  await using provider = await startRecordedProvider([recorded(1), recorded(2)])
  await using server = await serveBlock(0, provider.url)
  await (await ask(server.url, { text: 'How is Lisbon?' })).text()
  const answer = await loadAnswer(server.url)
  expect(answer.parts).toContainEqual(
    expect.objectContaining({ type: 'tool-weather', output: { city: 'Lisbon', sky: 'clear', degrees: 21 } }),
  )
  expect(textOf(answer)).toContain('Clear sky over Lisbon, 21 degrees.')
  expect(answer.metadata).toMatchObject({
    status: 'finished',
    agent: { name: 'support', displayName: 'Support' },
  })
  expect(Object.keys(answer.metadata?.usage?.byModel ?? {})).toEqual(['openai:gpt-5.1'])
})

test('the agent of the guide that has a memory remembers the first question at the second', async () => {
  await using provider = await startRecordedProvider([recorded(2), recorded(2)])
  await using server = await serveBlock(1, provider.url)
  await (await ask(server.url, { text: 'I am in Lisbon.' })).text()
  await (await ask(server.url, { text: 'How is it here?', messageId: 'second' })).text()
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
  expect(JSON.stringify(provider.requests[1])).toContain('I am in Lisbon.')
})

/** Starts a server with one configuration of the guide, counted from 0. OpenAI is at this address. */
async function serveBlock(block: number, providerUrl: string) {
  const guide = await readFile(join(here, '../docs/guides/mastra.md'), 'utf8')
  const code = guide.split('```ts\n')[block + 1]?.split('```')[0] ?? ''
  // Here `@mastra/core` is found in the folder above, and our own packages in the repository.
  await mkdir(join(here, 'mastra/.tmp'), { recursive: true })
  const folder = await mkdtemp(join(here, 'mastra/.tmp/guide-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'throughline.config.ts'), code)
  const env = {
    PORT: '0',
    THROUGHLINE_LOG: 'warn',
    MASTRA_TELEMETRY_DISABLED: '1',
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: providerUrl,
  }
  const server = startProgram(['serve'], env, { cwd: folder })
  const [, url = ''] = /listens at (\S+)/.exec(await server.until(' with the model')) ?? []
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.signal('SIGTERM')
      await server.ended
      await rm(folder, { recursive: true })
    },
  }
}
