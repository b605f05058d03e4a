import { startServer } from '@throughline/server'
import { heldAgent, say, textToolText } from '@throughline/testing/agent/scripted-agent'
import { loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import type OpenAI from 'openai'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { openAi } from './open-ai-client.ts'

const asked = { model: 'assistant', input: 'How is the weather?' }

describe('in the background', () => {
  test('a response is there at once, and goes on without its client', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Once')], after: [say(' more.')] })
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const response = await responses.create({ ...asked, background: true })
    expect(response).toMatchObject({ status: 'in_progress', background: true })
    await expect.poll(async () => (await responses.retrieve(response.id)).output_text).toBe('Once')
    letGo()
    await expect.poll(async () => (await responses.retrieve(response.id)).status).toBe('completed')
    expect(await responses.retrieve(response.id)).toMatchObject({
      output_text: 'Once more.',
      background: true,
    })
  })

  test('a stream that was left after any event goes on exactly after it', async () => {
    const { agent, letGo } = heldAgent('assistant', {
      before: [{ type: 'reasoning-delta', text: 'Clouds?' }, say('Once')],
      after: textToolText.slice(0, -1),
    })
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const begun: OpenAI.Responses.ResponseStreamEvent[] = []
    let id = ''
    for await (const event of await responses.create({ ...asked, background: true, stream: true })) {
      begun.push(event)
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.output_text.delta') break
    }
    const whole = Array.fromAsync(await responses.retrieve(id, { stream: true }))
    // These come back while the answer is being written.
    const early = begun.map(async ({ sequence_number: starting_after }) =>
      Array.fromAsync(await responses.retrieve(id, { stream: true, starting_after })),
    )
    letGo()
    const events = await whole
    expect(events.slice(0, begun.length)).toEqual(begun)
    expect(events.at(-1)?.type).toBe('response.completed')
    for (const [index, rest] of (await Promise.all(early)).entries())
      expect(rest).toEqual(events.slice(index + 1))
    // And these when it has ended.
    for (const [index, { sequence_number: starting_after }] of events.entries()) {
      const rest = await Array.fromAsync(await responses.retrieve(id, { stream: true, starting_after }))
      expect(rest).toEqual(events.slice(index + 1))
    }
  })

  test('a response that a restart of the server cut off can be read on, and says that it failed', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Once')] })
    await using server = await startTestServer({ agents: [agent] })
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    const stream = await openAi(server.url).responses.create({ ...asked, background: true, stream: true })
    for await (const event of stream) {
      events.push(event)
      if (event.type === 'response.output_text.delta') break
    }
    const [created] = events
    const id = created?.type === 'response.created' ? created.response.id : ''
    await server.close()
    const { store } = server
    const logger = pino({ level: 'silent' })
    await using restarted = await startServer({ store, agents: [agent], logger, port: 0 })
    const { responses } = openAi(restarted.url)
    const starting_after = events.length - 1
    const rest = await Array.fromAsync(await responses.retrieve(id, { stream: true, starting_after }))
    const whole = await Array.fromAsync(await responses.retrieve(id, { stream: true }))
    expect([...events, ...rest]).toEqual(whole)
    expect(rest.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
  })

  test('a response is cancelled when the client says so, and keeps what was written', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Once')] })
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const stream = await responses.create({ ...asked, background: true, stream: true })
    let cancelled: OpenAI.Responses.Response | undefined
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of stream) {
      events.push(event)
      if (event.type !== 'response.output_text.delta') continue
      const [created] = events
      if (created?.type === 'response.created') cancelled = await responses.cancel(created.response.id)
    }
    expect(cancelled).toMatchObject({ status: 'cancelled', output: [{ content: [{ text: 'Once' }] }] })
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } })
    // Once it has ended, nothing changes it.
    expect(await responses.cancel(cancelled?.id ?? '')).toEqual(cancelled)
  })
})

test('a client that leaves a response in the foreground stops it', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Once')] })
  await using server = await startTestServer({ agents: [agent] })
  const { responses } = openAi(server.url)
  for await (const event of await responses.create({ ...asked, conversation: 'trip', stream: true }))
    if (event.type === 'response.output_text.delta') break
  await expect.poll(async () => (await loadAnswer(server.url, 'trip')).metadata?.status).toBe('stopped')
})
