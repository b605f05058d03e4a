import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { toolFactory } from '@throughline/agents'
import { hideSecrets } from '@throughline/agents/internal'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask } from '@throughline/testing/http/chat-requests'
import { startEchoingProvider } from '@throughline/testing/provider/echoing-provider'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { generateText, tool } from 'ai'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createServerLog } from '../../src/server-log.ts'

test('a server keeps requests to providers out of a logger that somebody else made', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  await using provider = await startEchoingProvider(400)
  const apiKey = 'sk-test-0123456789abcdef'
  const { chatModel } = createOpenAICompatible({ name: 'echoing', baseURL: provider.url, apiKey })
  const installation = defaultInstallation(chatModel('some-model'))
  const server = await startTestServer({ ...installation, logger })
  await (await ask(server.url, { text: 'What did I tell you about Lisbon?' })).text()
  await server[Symbol.asyncDispose]()
  const log = lines.join('')
  expect(log).toContain('"providerCode":"refused_by_test"')
  for (const text of [apiKey, 'Lisbon', 'helpful assistant', 'requestBodyValues', 'responseBody'])
    expect(log).not.toContain(text)
})

test('known secrets are covered in every line of the log, whatever field they are in', () => {
  const lines: string[] = []
  const hide = hideSecrets(['s3cret-"value'])
  const log = createServerLog({ level: 'info', hide, destination: { write: line => void lines.push(line) } })
  log.child({ channel: 's3cret-"value' }).warn({ note: ['s3cret-"value'] }, 'It said s3cret-"value.')
  log.error(new Error('s3cret-"value'))
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).toContain('[secret]')
    expect(line).not.toContain('s3cret')
    expect(() => JSON.parse(line)).not.toThrow()
  }
})

test('a tool whose own model call fails shows nothing of the provider’s words', async () => {
  await using provider = await startEchoingProvider(400)
  const { chatModel } = createOpenAICompatible({
    name: 'echoing',
    baseURL: provider.url,
    apiKey: 'sk-a-key-0123',
  })
  const translate = tool({
    description: 'Translates with another model.',
    inputSchema: z.object({}),
    execute: async () =>
      (await generateText({ model: chatModel('some-model'), prompt: 'Translate this.' })).text,
  })
  const model = scriptedModel({ master: [[calling('translate', {})], [saying('Done.')]] })
  await using server = await startDelegation({ model, tools: [toolFactory('translate', translate)] })
  const stream = await (await ask(server.url)).text()
  expect(stream).toContain('The model provider refused the request (400).')
  expect(stream).not.toMatch(/sk-a-key|Translate this/)
})
