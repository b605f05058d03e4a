import { heldAgent, say, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

test('an answer to a message from a channel goes back there, text before a tool as a block of its own', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', textToolText)],
    channels: hookChannels(receiver.url),
  })
  expect((await writeToHook(server.url)).status).toBe(202)
  await receiver.until(shown => shown.length === 2)

  expect(receiver.shown.map(({ text, conversation }) => [conversation, text])).toEqual([
    ['room', 'Let me look.'],
    ['room', 'The sky is clear.'],
  ])
  expect((await loadChat(server.url, 'hook:room')).messages).toMatchObject([
    { id: 'in_m1', role: 'user', parts: [{ text: 'How is the weather?' }], metadata: { channel: 'hook' } },
    { role: 'assistant' },
  ])
})

test('a message that comes twice is answered once', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ channels: hookChannels(receiver.url) })
  await Promise.all([writeToHook(server.url), writeToHook(server.url), writeToHook(server.url)])
  await receiver.until(shown => shown.length === 2)
  await writeToHook(server.url, { id: 'm2', text: 'And now?' })
  await receiver.until(shown => shown.length === 4)

  expect(receiver.requests).toHaveLength(4)
})

test('a message that comes several times at once does not interrupt its own answer', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ channels: hookChannels(receiver.url) })
  for (let round = 1; round <= 40; round += 1) {
    const write = () => writeToHook(server.url, { conversation: `room-${round}` })
    await Promise.all([write(), write(), write()])
    await receiver.until(shown => shown.length === 2 * round)
  }
})

test('a receiver that fails, breaks off or is slow to come back gets everything once and in order', async () => {
  const treatments = [500, 'reset', 429, 200, 503, 200] as const
  await using receiver = await startWebhookReceiver(request => treatments[request] ?? 200)
  const words = Array.from({ length: 40 }, (_, index) => `Sentence number ${index}. `)
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', [...words.map(say), { type: 'finish', finishReason: 'stop' }])],
    channels: hookChannels(receiver.url, { minChars: 40, maxChars: 120, timeoutMs: 2_000 }),
  })
  await writeToHook(server.url)
  await receiver.until(shown => shown.some(({ text }) => text.includes('number 39')))

  expect(receiver.shown.map(({ text }) => text).join(' ')).toBe(words.join('').trim())
})

test('what an answer has said so far goes out while it is still being written', async () => {
  const { agent, letGo } = heldAgent('assistant', {
    before: [say('One moment. I am looking for it. ')],
    after: [say('Done.')],
  })
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({
    agents: [agent],
    channels: hookChannels(receiver.url, { minChars: 5, maxChars: 60, preference: 'sentence', idleMs: 20 }),
  })
  await writeToHook(server.url)
  await receiver.until(shown => shown.length === 1)
  letGo()
  await receiver.until(shown => shown.length === 3)

  expect(receiver.shown.map(({ text }) => text)).toEqual(['One moment.', 'I am looking for it.', 'Done.'])
})
