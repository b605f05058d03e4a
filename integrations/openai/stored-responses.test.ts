import { heldAgent, say, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { listeningAgent } from '../../packages/server/test/openai/listening-agent.ts'
import { apiErrorOf, openAi } from './open-ai-client.ts'

const asked = { model: 'assistant', input: 'How is the weather?' }
const notFound = { status: 404, code: 'response_not_found' }
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a deleted response', () => {
  test('is gone with its chat, in which nothing else was asked', async () => {
    await using server = await startTestServer({ agents: [listeningAgent().agent] })
    const { responses } = openAi(server.url)
    const input = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'I heard you.' },
      { role: 'user', content: 'Two' },
    ] satisfies OpenAI.Responses.ResponseInput
    const { id } = await responses.create({ ...asked, input })
    await responses.delete(id)
    expect(await apiErrorOf(responses.retrieve(id))).toMatchObject(notFound)
    expect(await apiErrorOf(responses.delete(id))).toMatchObject(notFound)
    expect(await server.store.chats.list(ownerIdOf('local'), { limit: 1 })).toEqual([])
  })

  test('leaves the rest of its conversation as it is', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const one = await responses.create({ ...asked, input: 'One', conversation: 'trip' })
    const two = await responses.create({ ...asked, input: 'Two', previous_response_id: one.id })
    await responses.delete(one.id)
    expect(await apiErrorOf(responses.retrieve(one.id))).toMatchObject(notFound)
    expect(await apiErrorOf(responses.create({ ...asked, previous_response_id: one.id }))).toMatchObject(
      notFound,
    )
    expect(await responses.retrieve(two.id)).toEqual(two)
    expect((await loadChat(server.url, 'trip')).messages).toHaveLength(2)
    await responses.create({ ...asked, input: 'Three', previous_response_id: two.id })
    expect(given.at(-1)).toEqual(['Two', 'I heard 3.', 'Three'])
  })

  test('that was still being written is stopped', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Once')] })
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const { id } = await responses.create({ ...asked, background: true })
    await responses.delete(id)
    expect(await apiErrorOf(responses.retrieve(id))).toMatchObject(notFound)
  })
})

describe('the input items of a response', () => {
  test('are what the agent read, in pages, the newest first', async () => {
    await using server = await startTestServer({ agents: [scriptedAgent('assistant', textToolText)] })
    const { responses } = openAi(server.url)
    const one = await responses.create({ ...asked, input: 'One' })
    const input = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Two' },
          { type: 'input_image', image_url: png, detail: 'auto' },
        ],
      },
    ] satisfies OpenAI.Responses.ResponseInput
    const two = await responses.create({ ...asked, input, previous_response_id: one.id })
    const items = await Array.fromAsync(responses.inputItems.list(two.id, { limit: 2 }))
    expect(items).toMatchObject([
      {
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [
          { type: 'input_text', text: 'Two' },
          { type: 'input_image', image_url: expect.any(String) },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Let me look. ' },
          { type: 'output_text', text: 'The sky is clear.' },
        ],
      },
      { role: 'user', content: [{ type: 'input_text', text: 'One' }] },
    ])
    const oldest = await responses.inputItems.list(two.id, { limit: 1, order: 'asc' })
    expect(oldest.data).toEqual(items.slice(-1))
    expect(oldest.has_more).toBe(true)
    expect((await responses.inputItems.list(one.id)).data).toEqual(items.slice(-1))
  })

  test.each([
    ['limit', { limit: 0 }, /"limit"/],
    ['item', { after: 'msg_other' }, /msg_other/],
    ['order', { order: 'up' }, /order=up/],
  ])('of a wrong %s are refused', async (_, query, message) => {
    await using server = await startTestServer()
    const client = openAi(server.url)
    const { id } = await client.responses.create(asked)
    const error = await apiErrorOf(client.get(`/responses/${id}/input_items`, { query }))
    expect(error.status).toBe(400)
    expect(error.message).toMatch(message)
  })
})

test('a response of another owner can neither be deleted nor be asked for its input', async () => {
  const tokens = new Map([
    ['a', ownerIdOf('ann')],
    ['b', ownerIdOf('bob')],
  ])
  await using server = await startTestServer({ tokens })
  const ann = openAi(server.url, { apiKey: 'a' }).responses
  const bob = openAi(server.url, { apiKey: 'b' }).responses
  const response = await ann.create(asked)
  expect(await apiErrorOf(bob.delete(response.id))).toMatchObject(notFound)
  expect(await apiErrorOf(bob.inputItems.list(response.id))).toMatchObject(notFound)
  expect(await ann.retrieve(response.id)).toEqual(response)
})
