import { textOf } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { expect, test } from 'vitest'
import { startAnthropicApi } from './claude-agent-sdk/anthropic-api.ts'
import { claudeEnv, temporaryHome } from './claude-agent-sdk/serve.ts'
import { serveGuide } from './serve-guide.ts'

test('the agent of the guide answers on a server, with its tool, in a second answer, too', async () => {
  const call = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'mcp__town__weather',
    input: { city: 'Lisbon' },
  } as const
  const says = (text: string) => [{ type: 'text', text }] as const
  await using api = await startAnthropicApi([[call], says('It is clear.'), says('Still clear.')])
  await using home = await temporaryHome()
  const env = claudeEnv(home.path, api.url)
  await using server = await serveGuide({ guide: 'claude-agent-sdk', block: 0, env })
  await (await ask(server.url, { text: 'How is Lisbon?' })).text()
  const answer = await loadAnswer(server.url)
  expect(answer.parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-mcp__town__weather',
      state: 'output-available',
      output: 'Clear sky over Lisbon, 21 degrees.',
    }),
  )
  expect(answer.metadata).toMatchObject({ status: 'finished', agent: { displayName: 'Support' } })
  await (await ask(server.url, { text: 'And now?', messageId: 'second' })).text()
  expect(textOf(await loadAnswer(server.url))).toBe('Still clear.')
})
