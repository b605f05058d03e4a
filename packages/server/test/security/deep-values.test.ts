import type { AgentEvent } from '@throughline/agents'
import { finish, heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import {
  ask,
  loadAnswer,
  loadChat,
  problemOf,
  stop,
  userMessage,
} from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const message = userMessage()
const agUi = { threadId: 'chat', runId: 'run', messages: [{ id: 'question', role: 'user', content: 'Hi' }] }

// "DEEP" stands where the deep value is put in.
const bodies: readonly (readonly [string, string, object])[] = [
  [
    'a stock message’s metadata',
    '/api/chat',
    { id: 'chat', messages: [{ ...message, metadata: { my: 'DEEP' } }] },
  ],
  ['a message’s metadata', '/api/chats/chat/messages', { message: { ...message, metadata: { my: 'DEEP' } } }],
  ['a message before it', '/api/chat', { id: 'chat', messages: [{ id: 'x', parts: 'DEEP' }, message] }],
  ['a field nobody knows', '/api/chats/chat/messages', { message, unknown: 'DEEP' }],
  ['the context', '/api/chat', { id: 'chat', messages: [message], context: { tabs: 'DEEP' } }],
  ['the properties of AG-UI', '/ag-ui', { ...agUi, forwardedProps: 'DEEP' }],
  [
    'the messages of AG-UI',
    '/ag-ui',
    { ...agUi, messages: [...agUi.messages, { id: 'y', role: 'tool', content: 'DEEP' }] },
  ],
  ['the state of AG-UI', '/ag-ui', { ...agUi, state: 'DEEP' }],
  ['a query', '/agent/query', { message: 'Hi', session_id: 'chat', extra: 'DEEP' }],
  ['another answer', '/api/chats/chat/answers', { messageId: 'question', context: 'DEEP' }],
]

describe.each(bodies)('%s', (_, path, body) => {
  test.each([300, 4_400, 100_000])(
    'that is nested %i levels deep is refused, and nothing is begun',
    async depth => {
      await using server = await startTestServer()
      const problem = await problemOf(await post(`${server.url}${path}`, body, depth))
      expect(problem).toMatchObject({ status: 400, code: 'body-too-deep' })
      expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
    },
  )
})

test('metadata that is as deep as allowed is saved, told and followed', async () => {
  await using server = await startTestServer()
  const [, path, body] = bodies[0] ?? ['', '', {}]
  // The body, the messages, the message and the metadata are four levels.
  await (await post(`${server.url}${path}`, body, 252)).text()
  const { messages } = await loadChat(server.url)
  expect(JSON.stringify(messages[0]?.metadata)).toContain('['.repeat(252))
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await log.until('['.repeat(252))
})

test('a tool’s deep input and output are told as too deep, and the answer goes on', async () => {
  const call = { ...weatherCall(), input: nested(5_000) }
  const events: readonly AgentEvent[] = [
    { type: 'tool-call', ...call },
    { type: 'tool-result', ...call, output: nested(1_700) },
    say('Done.'),
    finish,
  ]
  await using server = await startTestServer({ agents: [scriptedAgent('assistant', events)] })
  expect(await (await ask(server.url)).text()).toContain('[DONE]')
  const { metadata, parts } = await loadAnswer(server.url)
  expect(metadata?.status).toBe('finished')
  const text = 'A value that is nested deeper than 256 levels.'
  expect(parts[0]).toMatchObject({ state: 'output-available', input: text, output: text })
})

test('a call whose deep input is cut off by a stop is saved', async () => {
  const { agent } = heldAgent('assistant', {
    before: [
      { type: 'tool-input-start', toolCallId: 'call', toolName: 'search' },
      { type: 'tool-input-delta', toolCallId: 'call', text: '['.repeat(10_000) },
      { type: 'reasoning-delta', text: 'Hm' },
    ],
  })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Hm')
  await stop(server.url)
  const { metadata, parts } = await loadAnswer(server.url)
  expect(metadata?.status).toBe('stopped')
  expect(parts[0]).toMatchObject({ state: 'output-error', rawInput: '['.repeat(10_000) })
})

function post(url: string, body: object, depth: number): Promise<Response> {
  const deep = '['.repeat(depth) + ']'.repeat(depth)
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body).replace('"DEEP"', deep),
  })
}

function nested(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}
