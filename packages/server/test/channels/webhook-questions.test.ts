import { type Agent, askOutput } from '@throughline/agents'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const call = { toolCallId: 'q', toolName: 'question', input: { question: 'How many?' } }

const asker: Agent = {
  name: 'asker',
  displayName: 'The asker',
  async *run() {
    yield { type: 'tool-call', ...call }
    const output = await askOutput({ ...call, from: 'person' })
    yield { type: 'tool-result', ...call, output }
    yield { type: 'text-delta', text: `So ${output}.` }
    yield { type: 'finish', finishReason: 'stop' }
  },
}

test('a question comes into the channel, and the next message of the asked person is the answer to it', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ agents: [asker], channels: hookChannels(receiver.url) })
  await writeToHook(server.url)
  await receiver.until(shown => shown.some(({ text }) => text?.includes('How many?') === true))
  expect(receiver.shown[0]?.text).toContain('Your next message is the answer.')
  await writeToHook(server.url, { id: 'm2', text: 'Three' })
  await receiver.until(shown => shown.at(-1)?.text === 'So Three.')
  expect(receiver.shown).toHaveLength(2)
})

test('an answer that the platform sends once more, after all is over, asks nothing new', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ agents: [asker], channels: hookChannels(receiver.url) })
  await writeToHook(server.url)
  await receiver.until(shown => shown.some(({ text }) => text?.includes('How many?') === true))
  await writeToHook(server.url, { id: 'm2', text: 'Three' })
  await receiver.until(shown => shown.at(-1)?.text === 'So Three.')
  expect((await writeToHook(server.url, { id: 'm2', text: 'Three' })).status).toBe(202)
  const { messages } = await loadChat(server.url, 'hook:room')
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})
