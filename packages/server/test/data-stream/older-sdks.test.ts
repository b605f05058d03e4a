import { type Chunk, isRecord, isToolPart, type Message } from '@throughline/protocol'
import { heldAgent, say, textToolText } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { ask, problemOf } from '@throughline/testing/http/chat-requests'
import { readAsFold } from '@throughline/testing/http/read-chunks'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { waitingCall } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { olderSdkChunk } from './older-sdk-schemas.ts'

describe('a stream for an older AI SDK', () => {
  test.each([
    ['its parameter', '?sdk=5', {}],
    ['its header', '', { 'x-ai-sdk': '5' }],
    ['its user agent', '', { 'user-agent': 'ai-sdk/5.0.51 runtime/node.js/24' }],
  ])('is known by %s', async (_, form, headers) => {
    await using server = await startTestServer()
    const bytes = Buffer.from(await (await ask(server.url, { form, headers })).arrayBuffer())
    for (const chunk of valuesOf(bytes)) expect(olderSdkChunk[5].safeParse(chunk).success).toBe(true)
    expect(valuesOf(bytes).at(-1)).toEqual({ type: 'finish', messageMetadata: expect.anything() })
    expect(bytes.toString()).toMatch(/data: \[DONE\]\n\n$/)
  })

  test.each([
    ['AI SDK 7', '?sdk=7', {}],
    ['the user agent of AI SDK 7', '', { 'user-agent': 'ai-sdk/7.0.169' }],
    ['the parameter, whatever the user agent says', '?sdk=7', { 'user-agent': 'ai-sdk/5.0.51' }],
  ])('is not given to %s', async (_, form, headers) => {
    await using server = await startTestServer()
    const whole = (await (await ask(server.url)).text()).replace(/,"note":"([^"\\]|\\.)*"/, '')
    expect(await (await ask(server.url, { form, headers })).text()).toBe(whole)
  })

  test.each(['', '?subAgents=separate', '?subAgents=inline'])(
    'is named by the first chunk of a client that says nothing, live and resumed, in the form "%s"',
    async form => {
      const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
      await using server = await startTestServer({ agents: [agent] })
      await using first = new SseBytes(await ask(server.url, { form }))
      await first.until('The sky')
      const resumed = await fetch(`${server.url}/api/chat/chat/stream${form}`)
      letGo()
      const whole = (await first.rest()).toString()
      expect(whole.match(/"note":/g)).toHaveLength(1)
      expect(valuesOf(Buffer.from(whole))[0]).toMatchObject({
        type: 'start',
        note: expect.stringMatching(/\?sdk=5/),
      })
      expect(await resumed.text()).toBe(whole)
    },
  )

  test('is not there for other versions', async () => {
    await using server = await startTestServer()
    for (const form of ['?sdk=4', '?sdk=', '?sdk=5.0']) {
      const problem = await problemOf(await ask(server.url, { form }))
      expect(problem).toMatchObject({ status: 400, code: 'unknown-form' })
    }
    expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
  })

  test('is resumed at the address that early versions make', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using server = await startTestServer({ agents: [agent] })
    await using first = new SseBytes(await ask(server.url, { form: '?sdk=5' }))
    await first.until('The sky')
    const resumed = await Promise.all(
      ['/api/chat?sdk=5/chat/stream', '/api/chat/chat/stream?sdk=5'].map(path => fetch(server.url + path)),
    )
    letGo()
    const whole = (await first.rest()).toString()
    for (const response of resumed) expect(await response.text()).toBe(whole)
    expect((await fetch(`${server.url}/api/chat?sdk=5/chat/stream`)).status).toBe(204)
    expect((await fetch(`${server.url}/api/chat?sdk=5/nowhere/stream`)).status).toBe(204)
  })

  test('waits with its run for approvals in AI SDK 5, which cannot give them, and hears nothing of them', async () => {
    await using fixture = await waitingCall()
    await using old = new SseBytes(await fetch(`${fixture.url}/api/chat/chat/stream?sdk=5`))
    await old.until('tool-input-available')
    await decide(fixture.url, fixture.approvalId, { approved: false })
    const chunks = valuesOf(await old.rest())
    for (const chunk of chunks) expect(olderSdkChunk[5].safeParse(chunk).success).toBe(true)
    expect(chunks).toContainEqual({
      type: 'tool-output-error',
      toolCallId: expect.anything(),
      errorText: 'The call was denied.',
    })
  })

  test('ends where its run waits for approvals in AI SDK 6, which can give them', async () => {
    await using fixture = await waitingCall()
    const text = await (await fetch(`${fixture.url}/api/chat/chat/stream?sdk=6`)).text()
    const chunks = chunksIn(Buffer.from(text))
    for (const chunk of chunks) expect(olderSdkChunk[6].safeParse(chunk).success).toBe(true)
    expect(chunks).toContainEqual({
      type: 'tool-approval-request',
      approvalId: fixture.approvalId,
      toolCallId: expect.anything(),
    })
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
  })
})

describe('the messages of a chat for an older AI SDK', () => {
  test('have nothing that it does not know', async () => {
    await using fixture = await waitingCall()
    const waiting = await load(fixture.url, 'sdk=5&inProgress=true')
    expect(waiting[1]?.parts.find(isToolPart)).toMatchObject({ state: 'input-available' })
    await decide(fixture.url, fixture.approvalId, { approved: false })
    await fixture.stream.rest()
    const [, five] = await load(fixture.url, 'sdk=5')
    expect(five?.parts.find(isToolPart)).toEqual({
      type: 'tool-remove',
      toolCallId: expect.any(String),
      state: 'output-error',
      input: { what: 'all' },
      errorText: 'The call was denied.',
    })
    const [, six] = await load(fixture.url, 'sdk=6')
    expect(six?.parts.find(isToolPart)).toMatchObject({
      state: 'output-denied',
      approval: { id: fixture.approvalId, approved: false },
    })
  })

  test('leave out the answer in progress, which it would show twice, unless it is asked for', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await ask(server.url))
    await stream.until('I begin.')
    for (const sdk of [5, 6]) {
      expect(await load(server.url, `sdk=${sdk}`)).toHaveLength(1)
      expect(await load(server.url, `sdk=${sdk}&inProgress=true`)).toHaveLength(2)
    }
    letGo()
    await stream.rest()
  })

  test('say who wrote what where sub-agents stand in the answer', async () => {
    const model = scriptedModel({
      master: [[asking('helper')], [saying('Done.')]],
      helper: [[calling('note', { text: 'x' })], [saying('Noted.')]],
    })
    const subAgents = [subAgent('helper', { tools: ['note'] })]
    await using server = await startDelegation({ model, subAgents })
    const form = '?sdk=5&subAgents=inline'
    const bytes = Buffer.from(await (await ask(server.url, { form })).arrayBuffer())
    const read = readAsFold(chunksIn(bytes))
    const [, told] = await load(server.url, 'sdk=5&subAgents=inline')
    for (const { parts } of [read, told ?? read]) {
      const call = parts.find(part => part.type === 'tool-note')
      expect(call).toMatchObject({ callProviderMetadata: { throughline: { agent: 'helper' } } })
    }
  })
})

function chunksIn(bytes: Buffer): readonly Chunk[] {
  return z.array(z.custom<Chunk>(isRecord)).parse(valuesOf(bytes))
}

const messages = z.object({ messages: z.array(z.custom<Message>(isRecord)) })

async function load(url: string, query: string): Promise<readonly Message[]> {
  const response = await fetch(`${url}/api/chats/chat/messages?${query}`)
  return messages.parse(await response.json()).messages
}
