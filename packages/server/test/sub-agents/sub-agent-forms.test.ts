import { type Chunk, textOf } from '@throughline/protocol'
import {
  asking,
  breaking,
  calling,
  saying,
  scriptedModel,
  type Turn,
  type Turns,
} from '@throughline/testing/agent/scripted-model'
import { loadChat, problemOf, sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { fromWire, readAsStock } from '@throughline/testing/http/read-chunks'
import { messagesBy } from '@throughline/testing/http/read-log'
import { SseBytes, sseEventsIn, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import type { TestServer } from '@throughline/testing/server/test-server'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { readAsAssistantUi } from '../data-stream/read-as-assistant-ui.ts'

const turns: Turns = {
  master: [[saying('I ask. '), asking('lead', 'a'), asking('helper', 'b')], [saying('All is done.')]],
  lead: [[saying('I lead. '), asking('helper')], [saying('It is led.')]],
  helper: [[calling('note', { text: 'x' })], [saying('It is '), saying('helped.')]],
}
const subAgents = [
  subAgent('lead', { tools: ['note'], allowedSubAgents: ['helper'] }),
  subAgent('helper', { tools: ['note'] }),
]

describe('with sub-agents hidden', () => {
  test('a stock client reads the answer of the master, as it is saved, and nothing else', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const bytes = await streamOf(server, 'hidden')
    const { message, errors } = await readAsStock(chunksIn(bytes))
    expect(errors).toEqual([])
    const { messages } = await loadChat(server.url)
    expect(fromWire(message)).toEqual(messagesBy(messages, 'master')[0])
    expect(bytes.toString()).not.toContain('data-sub-agent')
    expect(bytes.toString()).not.toContain('I lead. "')
  })

  test('a run goes on after any event as if it had not been cut', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    await expectWholeAfterAnyCut(server, 'hidden')
  })
})

describe('with sub-agents inline', () => {
  test('a stock client reads everybody’s parts in one message, marked with who wrote them', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const { message, errors } = await readAsStock(chunksIn(await streamOf(server, 'inline')))
    expect(errors).toEqual([])
    const { messages } = await loadChat(server.url)
    const [lead] = messagesBy(messages, 'lead')
    const [master] = messagesBy(messages, 'master')
    expect(message?.id).toBe(master?.id)
    expect(message?.metadata).toEqual(master?.metadata)
    const lineage = {
      messageId: lead?.id,
      agent: 'lead',
      kind: 'sub',
      displayName: 'The lead',
      depth: 1,
      path: ['master', 'lead'],
      parentMessageId: master?.id,
      parentToolCallId: 'a',
    }
    expect(message?.parts).toContainEqual({
      type: 'text',
      text: 'I lead. ',
      state: 'done',
      providerMetadata: { throughline: lineage },
    })
    const delegated = message?.parts.find(part => 'toolCallId' in part && part.toolCallId === '1:ask-helper')
    expect(delegated).toMatchObject({
      type: 'tool-subAgent',
      state: 'output-available',
      toolMetadata: { throughline: lineage },
      output: { ok: true, summary: 'It is helped.' },
    })
    for (const { id, parts } of messages.slice(1)) {
      const marked = message?.parts.filter(part => authorOf(part) === (id === master?.id ? undefined : id))
      const text = marked?.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
      expect(text).toBe(textOf({ id, role: 'assistant', parts }))
    }
  })

  test('the stock transport reads it, and assistant-ui too', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const transport = new DefaultChatTransport({ api: `${server.url}/api/chat?subAgents=inline` })
    const question: UIMessage = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
    const stream = await transport.sendMessages({
      chatId: 'stock',
      messages: [question],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
    })
    const read = await Array.fromAsync(readUIMessageStream({ stream, terminateOnError: true }))
    expect(read.at(-1)?.parts.filter(({ type }) => type === 'tool-note')).toHaveLength(2)
    const assistantUi = await readAsAssistantUi(await streamOf(server, 'inline'), 'chunks')
    expect(assistantUi.status).toEqual({ type: 'complete', reason: 'stop' })
    const names = assistantUi.parts.flatMap(part => (part.type === 'tool-call' ? [part.toolName] : []))
    expect(names.toSorted()).toEqual(['note', 'note', 'subAgent', 'subAgent', 'subAgent'])
  })

  test('what two say in turns stands in turns', async () => {
    const opened = Promise.withResolvers<SseBytes>()
    // The log joins what comes close together: each speaks when the other has been heard.
    const isTalkedOut = Promise.withResolvers<void>()
    const isHeard = async (words: string) => {
      await (await opened.promise).until(words)
      if (words === 'two 3') isTalkedOut.resolve()
    }
    const { model, agents } = conversation(['one', 'two'], 3, { isHeard })
    await using server = await startDelegation({ model, subAgents: agents })
    await using stream = new SseBytes(await requestStream(server, 'inline'))
    opened.resolve(stream)
    await isTalkedOut.promise
    const chunks = chunksIn(await stream.rest())
    const { message, errors } = await readAsStock(chunks)
    expect(errors).toEqual([])
    const said = message?.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
    expect(said).toEqual(['one 1', 'two 1', 'one 2', 'two 2', 'one 3', 'two 3', 'They have talked.'])
    const ids = chunks.flatMap(chunk => (chunk.type === 'text-start' ? [chunk.id] : []))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('a sub-agent that fails leaves what it said, and its call tells the rest', async () => {
    const model = scriptedModel({
      master: [[asking('helper')], [saying('I go on.')]],
      helper: [[saying('Half. '), breaking('secret')]],
    })
    await using server = await startDelegation({ model, subAgents })
    const { message, errors } = await readAsStock(chunksIn(await streamOf(server, 'inline')))
    expect(errors).toEqual([])
    expect(message?.metadata).toMatchObject({ status: 'finished' })
    const told = message?.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
    expect(told).toEqual(['Half. ', 'I go on.'])
    expect(message?.parts.find(({ type }) => type === 'tool-subAgent')).toMatchObject({
      output: { ok: false, code: 'FAILED' },
    })
  })

  test.each<[string, () => ReturnType<typeof conversation>]>([
    ['nested agents', () => ({ model: scriptedModel(turns), agents: subAgents })],
    ['agents that talk in turns', () => conversation(['one', 'two', 'three'], 4)],
  ])('a run of %s goes on after any event as if it had not been cut', async (_, script) => {
    const { model, agents } = script()
    await using server = await startDelegation({ model, subAgents: agents })
    await expectWholeAfterAnyCut(server, 'inline')
  })

  test('a run that goes on is joined anywhere', async () => {
    const letGo = Promise.withResolvers<void>()
    const { model, agents } = conversation(['one', 'two'], 3, { isOver: letGo.promise })
    await using server = await startDelegation({ model, subAgents: agents })
    await using first = new SseBytes(await requestStream(server, 'inline'))
    const seen = sseEventsIn(await first.until('two 3'))
    const viewers = await Promise.all(
      seen.map(async ({ id = '' }) => new SseBytes(await resume(server, 'inline', id))),
    )
    letGo.resolve()
    const whole = withoutRetry(await first.rest())
    for (const [index, viewer] of viewers.entries()) {
      const before = Buffer.concat(seen.slice(0, index + 1).map(({ bytes }) => bytes))
      expect(`${before}${withoutRetry(await viewer.rest())}`).toBe(whole.toString())
    }
  })

  test('an id inside an entry is none in other forms', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const sseEvents = sseEventsIn(await streamOf(server, 'inline'))
    const inside = sseEvents.find(({ id = '' }) => id.split('.').length === 3)?.id ?? ''
    expect(await problemOf(await resume(server, 'separate', inside))).toMatchObject({
      status: 410,
      code: 'position-unknown',
    })
  })
})

interface Manners {
  readonly isHeard?: (words: string) => Promise<void>
  /** When they may end. */
  readonly isOver?: Promise<void>
}

/** Sub-agents at work at the same time, who wait for each other: each says one thing, then it is the next one's turn. */
function conversation(names: readonly string[], rounds: number, { isHeard, isOver }: Manners = {}) {
  let turn = 0
  const waiting: (() => void)[] = []
  const isTurnOf = async (index: number) => {
    while (turn % names.length !== index) await new Promise<void>(resolve => waiting.push(resolve))
  }
  const speak = (index: number): Turn =>
    async function* () {
      for (let round = 1; round <= rounds; round += 1) {
        await isTurnOf(index)
        const words = `${names[index]} ${round}`
        yield saying(words)
        await isHeard?.(words)
        turn += 1
        for (const wake of waiting.splice(0)) wake()
      }
      await isOver
    }
  const model = scriptedModel({
    master: [names.map(name => asking(name)), [saying('They have talked.')]],
    ...Object.fromEntries(names.map((name, index) => [name, [speak(index)]])),
  })
  return { model, agents: names.map(name => subAgent(name)) }
}

type Form = 'separate' | 'inline' | 'hidden'

function requestStream({ url }: TestServer, form: Form): Promise<Response> {
  return sendJson(`${url}/api/chat?subAgents=${form}`, { id: 'chat', messages: [userMessage()] })
}

async function streamOf(server: TestServer, form: Form): Promise<Buffer> {
  return Buffer.from(await (await requestStream(server, form)).arrayBuffer())
}

function resume({ url }: TestServer, form: Form, id: string): Promise<Response> {
  return fetch(`${url}/api/chat/chat/stream?subAgents=${form}&after=${id}`)
}

async function expectWholeAfterAnyCut(server: TestServer, form: Form): Promise<void> {
  const whole = await streamOf(server, form)
  const sseEvents = sseEventsIn(whole)
  expect(sseEvents.at(-1)).toMatchObject({ id: undefined, data: '[DONE]' })
  for (const [index, { id }] of sseEvents.slice(0, -1).entries()) {
    const response = await resume(server, form, id ?? '')
    const rest = withoutRetry(Buffer.from(await response.arrayBuffer()))
    const before = Buffer.concat(sseEvents.slice(0, index + 1).map(({ bytes }) => bytes))
    expect(`${before}${rest}`).toBe(withoutRetry(whole).toString())
  }
}

function chunksIn(bytes: Buffer): readonly Chunk[] {
  return sseEventsIn(bytes).flatMap(({ data }) =>
    data === undefined || data === '[DONE]' ? [] : [JSON.parse(data)],
  )
}

function authorOf(part: UIMessage['parts'][number]): unknown {
  const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined
  return metadata?.['throughline']?.['messageId']
}
