import type { AgentEvent } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import {
  finish,
  heldAgent,
  type Script,
  say,
  scriptedAgent,
  textToolText,
  weatherCall,
} from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import {
  loadAnswer,
  loadChat,
  problemOf,
  sendJson,
  stop,
  userMessage,
} from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { readAsAiSdk4 } from './read-as-ai-sdk-4.ts'
import { readAsAssistantUi } from './read-as-assistant-ui.ts'

describe('an answer as data stream lines', () => {
  test('says so in its headers, as AI SDK 4 does, and has no events in it', async () => {
    await using server = await startTestServer()
    const response = await askForLines(server.url)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('x-vercel-ai-data-stream')).toBe('v1')
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBeNull()
    const text = await response.text()
    expect(text).not.toMatch(/^(data|id|event):|\[DONE\]/m)
    expect(text).toMatch(/^([023889abcdefg]:.*\n)+$/)
  })

  test('is text, tool, text, in both readers', async () => {
    const { text, assistantUi, answer } = await linesOf(textToolText)
    const read = readAsAiSdk4(text)
    expect(read).toMatchObject({
      id: answer.id,
      parts: ['text: Let me look. ', 'tool: weather call-1', 'text: The sky is clear.'],
      finish: { finishReason: 'stop', usage: { promptTokens: 30, completionTokens: 12 } },
    })
    expect(read.results.get('call-1')).toEqual({ sky: 'clear', degrees: 21 })
    expect(assistantUi).toMatchObject({
      status: { type: 'complete', reason: 'stop' },
      parts: [
        { type: 'text', text: 'Let me look. ' },
        { toolCallId: 'call-1', toolName: 'weather', args: { city: 'Lisbon' }, result: { sky: 'clear' } },
        { type: 'text', text: 'The sky is clear.' },
      ],
    })
  })

  test('keeps text after a tool apart from the text before it, also within one step', async () => {
    const { text, assistantUi } = await linesOf([
      say('One. '),
      { type: 'tool-result', ...weatherCall(), output: null },
      say('Two.'),
      finish,
    ])
    const parts = ['text: One. ', 'tool: weather call-1', 'text: Two.']
    expect(readAsAiSdk4(text).parts).toEqual(parts)
    expect(assistantUi.parts.map(({ type }) => type)).toEqual(['text', 'tool-call', 'text'])
  })

  test('has reasoning, and parallel tools with their own results', async () => {
    const { text, assistantUi } = await linesOf([
      { type: 'reasoning-delta', text: 'Two places.' },
      { type: 'tool-call', ...weatherCall('north') },
      { type: 'tool-call', ...weatherCall('south') },
      { type: 'tool-progress', ...weatherCall('south'), output: 'half' },
      { type: 'tool-error', ...weatherCall('south'), errorText: 'The line is dead.' },
      { type: 'tool-result', ...weatherCall('north'), output: 'clear' },
      say('Half is known.'),
      finish,
    ])
    const read = readAsAiSdk4(text)
    expect(read.parts).toEqual([
      'reasoning: Two places.',
      'tool: weather north',
      'tool: weather south',
      'text: Half is known.',
    ])
    expect([...read.results]).toEqual([
      ['south', 'The line is dead.'],
      ['north', 'clear'],
    ])
    expect(assistantUi.parts).toMatchObject([
      { type: 'reasoning', text: 'Two places.' },
      { result: 'clear', isError: false },
      { result: 'The line is dead.', isError: true },
      { type: 'text' },
    ])
  })

  test('names who answers in its first annotation, and how it ended in its last', async () => {
    const { text, assistantUi, answer } = await linesOf([say('Hello.'), finish])
    const annotations = [
      { throughline: { senderName: 'The assistant', status: 'streaming', agent: { name: 'assistant' } } },
      { throughline: { status: 'finished', finishReason: 'stop' } },
    ]
    expect(readAsAiSdk4(text)).toMatchObject({ id: answer.id, annotations })
    expect(assistantUi.metadata.unstable_annotations).toMatchObject(annotations)
  })

  test('ends a failure as an error, with the text from before it and nothing of what is secret', async () => {
    const { text, assistantUi, answer } = await linesOf([
      say('Half'),
      { type: 'error', error: new Error('secret') },
    ])
    expect(answer.metadata?.status).toBe('failed')
    expect(readAsAiSdk4(text)).toMatchObject({
      parts: ['text: Half'],
      error: answer.metadata?.statusText,
      finish: { finishReason: 'error' },
    })
    expect(assistantUi.status).toMatchObject({ type: 'incomplete', reason: 'error' })
    expect(text).not.toContain('secret')
  })

  test('ends a stop in good order: open calls have a result, and it is no error', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Let me look. '), waitingCall] })
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await askForLines(server.url))
    await stream.until('9:')
    await stop(server.url)
    const read = readAsAiSdk4((await stream.rest()).toString())
    expect(read).toMatchObject({ error: undefined, finish: { finishReason: 'other' } })
    expect(read.results.get('call-1')).toMatch(/^Interrupted/)
    expect(read.annotations.at(-1)).toMatchObject({ throughline: { status: 'stopped' } })
  })

  test('ends as an error when the server goes down', async () => {
    const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await askForLines(server.url))
    await stream.until('0:')
    await server.close()
    const { error, parts } = readAsAiSdk4((await stream.rest()).toString())
    expect({ error, parts }).toEqual({ error: 'The server was shut down.', parts: ['text: I begin.'] })
  })

  test('leaves sub-agents out, but for what their calls answer', async () => {
    const model = scriptedModel({
      master: [[saying('I ask. '), asking('helper')], [saying('Done.')]],
      helper: [[saying('It is helped.')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    const text = await (await askForLines(server.url)).text()
    const read = readAsAiSdk4(text)
    expect(read.parts).toEqual(['text: I ask. ', 'tool: subAgent ask-helper', 'text: Done.'])
    expect(read.results.get('ask-helper')).toMatchObject({ ok: true, summary: 'It is helped.' })
    expect((await loadChat(server.url)).messages).toHaveLength(3)
  })

  test('has a heartbeat that both readers pass by', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('One, ')], after: [say('two.')] })
    await using server = await startTestServer({ agents: [agent], heartbeatMs: 5 })
    await using stream = new SseBytes(await askForLines(server.url))
    await stream.until('2:[]\n2:[]\n')
    letGo()
    const bytes = await stream.rest()
    expect(readAsAiSdk4(bytes.toString())).toMatchObject({ parts: ['text: One, two.'], data: [] })
    expect((await readAsAssistantUi(bytes, 'data-stream')).parts).toMatchObject([{ text: 'One, two.' }])
  })
})

describe('data stream lines are given', () => {
  test('for a running answer, from its start', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('One, ')], after: [say('two.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using first = new SseBytes(await askForLines(server.url))
    await first.until('One')
    const second = await fetch(`${server.url}/api/chat/chat/stream?format=data-stream`)
    letGo()
    expect(await second.text()).toBe((await first.rest()).toString())
  })

  test('for a question that is asked again, the same', async () => {
    await using server = await startTestServer()
    const first = await (await askForLines(server.url)).text()
    expect(await (await askForLines(server.url)).text()).toBe(first)
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('under the playground name as well', async () => {
    await using server = await startTestServer()
    const path = '/api/v1/console/playground/agent/stream'
    const response = await askForLines(server.url, { path })
    expect(readAsAiSdk4(await response.text()).parts).toHaveLength(3)
  })

  test('not from the middle', async () => {
    await using server = await startTestServer()
    await (await askForLines(server.url)).text()
    const url = `${server.url}/api/chat/chat/stream?format=data-stream`
    const answers = [
      await fetch(url, { headers: { 'last-event-id': 'x.5' } }),
      await fetch(`${url}&after=x.5`),
    ]
    for (const answer of answers) {
      expect(await problemOf(answer)).toMatchObject({ status: 400, code: 'unsupported-position' })
    }
  })

  test.each([
    ['format=lines', 'unknown-form'],
    ['format=', 'unknown-form'],
    ['subAgents=all', 'unknown-form'],
    ['format=data-stream&subAgents=inline', 'unsupported-form'],
  ])('not as %s, and then no run is begun', async (query, code) => {
    await using server = await startTestServer()
    expect(await problemOf(await askForLines(server.url, { query }))).toMatchObject({ status: 400, code })
    expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
  })
})

const waitingCall: AgentEvent = { type: 'tool-call', ...weatherCall() }

function askForLines(
  url: string,
  { path = '/api/chat', query = 'format=data-stream' } = {},
): Promise<Response> {
  return sendJson(`${url}${path}?${query}`, { id: 'chat', messages: [userMessage()] })
}

/** What an agent's answer is in this form, as it was sent, as it was read and as it was saved. */
async function linesOf(script: Script) {
  await using server = await startTestServer({ agents: [scriptedAgent('assistant', script)] })
  const bytes = Buffer.from(await (await askForLines(server.url)).arrayBuffer())
  const answer = await loadAnswer(server.url)
  const assistantUi = await readAsAssistantUi(bytes, 'data-stream')
  const said = assistantUi.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  expect(said.join('\n\n')).toBe(textOf(answer))
  return { text: bytes.toString(), assistantUi, answer }
}
