import { textOf } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { expect, test } from 'vitest'
import { serveGuide } from './serve-guide.ts'

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
function serveBlock(block: number, providerUrl: string) {
  const env = { MASTRA_TELEMETRY_DISABLED: '1', OPENAI_API_KEY: 'key', OPENAI_BASE_URL: providerUrl }
  return serveGuide({ guide: 'mastra', block, env })
}
