import { Chat } from '@ai-sdk/react'
import {
  type Chunk,
  chatFrom,
  fold,
  isChunk,
  isRecord,
  type Message,
  messagesOf,
  parseEntry,
  parsePosition,
} from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { finish, heldScript, say } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, problemOf, sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { fromWire, readAsStock } from '@throughline/testing/http/read-chunks'
import { messagesBy } from '@throughline/testing/http/read-log'
import { SseBytes, sseEventsIn, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { DefaultChatTransport, validateUIMessages } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from './stock-page.ts'

const turns: Turns = {
  master: [[saying('I ask. '), asking('lead', 'a'), asking('helper', 'b')], [saying('All is done.')]],
  lead: [[saying('I lead. '), asking('helper')], [saying('It is led.')]],
  helper: [[calling('note', { text: 'x' })], [saying('It is '), saying('helped.')]],
}
const subAgents = [
  subAgent('lead', { tools: ['note'], allowedSubAgents: ['helper'] }),
  subAgent('helper', { tools: ['note'] }),
]

describe('the messages of a chat with sub-agents', () => {
  test('are the question and the master’s answer, as the stream shows them, unless another form is asked for', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const { message, errors } = await readAsStock(chunksIn(await bytesOf(await ask(server.url))))
    expect(errors).toEqual([])
    const { messages, position } = await load(server.url, 'subAgents=separate')
    const [master] = messagesBy(messages, 'master')
    const shown = await load(server.url)
    expect(shown).toEqual({ messages: [messages[0], master], position })
    expect(await load(server.url, 'subAgents=hidden')).toEqual(shown)
    expect(shown.messages.at(-1)).toEqual(fromWire(message))
  })

  test('have them as messages of their own when they are separate, as the stream does, told apart by their agents', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const chunks = chunksIn(await bytesOf(await ask(server.url, { form: '?subAgents=separate' })))
    const { messages } = await load(server.url, 'subAgents=separate')
    expect(messages).toHaveLength(5)
    const agents = messages
      .slice(1)
      .map(({ metadata }) => `${metadata?.agent?.kind} ${metadata?.agent?.depth}`)
    expect(agents.toSorted()).toEqual(['master 0', 'sub 1', 'sub 1', 'sub 2'])
    for (const saved of messages.slice(2)) {
      const own = chunks.flatMap(chunk => {
        const isOwn = chunk.type === 'data-sub-agent' && 'data' in chunk && chunk.id === saved.id
        return isOwn && isChunk(chunk.data) ? [chunk.data] : []
      })
      expect(fromWire((await readAsStock(own)).message)).toEqual(saved)
    }
  })

  test('are the question and the answer that a stock client reads when they are inline', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    for (const messageId of ['one', 'two']) {
      const chunks = await streamInline(server.url, messageId)
      const { message } = await readAsStock(chunks)
      const { messages } = await load(server.url, 'subAgents=inline')
      expect(messages.at(-1)).toEqual(fromWire(message))
      expect(messages.at(-2)).toMatchObject({ id: messageId, role: 'user' })
    }
    expect((await load(server.url, 'subAgents=inline')).messages).toHaveLength(4)
  })

  test('are told inline as far as they have come while the answer goes on', async () => {
    const held = Promise.withResolvers<void>()
    const model = scriptedModel({
      master: [[saying('I ask. '), asking('helper')], [saying('All is done.')]],
      helper: [
        async function* () {
          yield saying('I begin. ')
          await held.promise
          yield saying('I end.')
        },
      ],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    await using stream = new SseBytes(await requestInline(server.url, 'question'))
    await stream.until('I begin. ')
    const { messages } = await load(server.url, 'subAgents=inline')
    const { message } = await readAsStock(chunksIn(stream.bytes))
    expect(messages.at(-1)).toEqual(fromWire(message))
    held.resolve()
    await stream.rest()
  })

  test('cannot be told in a form that is not there', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    for (const query of ['subAgents=envelope', 'subAgents=', 'inProgress=maybe']) {
      const response = await fetch(`${server.url}/api/chats/chat/messages?${query}`)
      expect(await problemOf(response)).toMatchObject({ status: 400, code: 'unknown-form' })
    }
  })

  test('without sub-agents are the same in every form', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const history = await load(server.url)
    for (const form of ['separate', 'inline', 'hidden'])
      expect(await load(server.url, `subAgents=${form}&inProgress=false`)).toEqual(history)
  })
})

test.each(['hidden', 'inline'])(
  'a stock page that loads a chat with sub-agents %s in the middle of an answer, and resumes, has it as it is told',
  async form => {
    const held = Promise.withResolvers<void>()
    const model = scriptedModel({
      master: [[saying('I ask. '), asking('helper')], [saying('All is done.')]],
      helper: [
        async function* () {
          yield saying('I begin. ')
          await held.promise
          yield saying('I end.')
        },
      ],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    await using stream = new SseBytes(await ask(server.url, { form: '?subAgents=separate' }))
    await stream.until('I begin. ')
    const { messages } = await load(server.url, `subAgents=${form}`)
    const transport = new DefaultChatTransport({ api: `${server.url}/api/chat?subAgents=${form}` })
    const page = new Chat({ id: 'chat', messages: await validateUIMessages({ messages }), transport })
    const resumed = page.resumeStream()
    await until(
      () => page.status === 'streaming',
      look => page['~registerStatusCallback'](look),
    )
    held.resolve()
    await resumed
    await stream.rest()
    const told = await load(server.url, `subAgents=${form}`)
    expect(fromWire(page.messages)).toEqual(told.messages)
    expect(told.messages).toHaveLength(2)
    await page.sendMessage({ text: 'And now?' })
    expect(page.messages).toHaveLength(4)
    expect((await load(server.url, `subAgents=${form}`)).messages).toHaveLength(4)
  },
)

describe('without the answer in progress', () => {
  test('the messages end with the question, and the log from their position on is the rest', async () => {
    const { script, letGo } = heldScript({ before: [say('One, ')], after: [say('two.')] })
    const { agent } = recordingAgent([[say('First.'), finish], script])
    await using server = await startTestServer({ agents: [agent] })
    await (await ask(server.url, { messageId: 'first' })).text()
    await using stream = new SseBytes(await ask(server.url, { messageId: 'second' }))
    await stream.until('One')
    const { messages, position } = await load(server.url, 'inProgress=false')
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    letGo()
    await stream.rest()
    const whole = await loadChat(server.url)
    expect(await followed(server.url, { messages, position }, whole.position)).toEqual(whole.messages)
    expect(await load(server.url, 'inProgress=false')).toEqual(whole)
  })

  test('sub-agents that worked for it are left out with it', async () => {
    const held = Promise.withResolvers<void>()
    const model = scriptedModel({
      master: [
        [asking('helper')],
        async function* () {
          yield saying('I go on. ')
          await held.promise
        },
      ],
      helper: [[saying('It is helped.')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    await using stream = new SseBytes(await ask(server.url))
    await stream.until('I go on. ')
    for (const form of ['separate', 'inline', 'hidden']) {
      const { messages } = await load(server.url, `subAgents=${form}&inProgress=false`)
      expect(messages.map(({ id }) => id)).toEqual(['question'])
    }
    held.resolve()
    await stream.rest()
  })
})

const history = z.object({ messages: z.array(z.custom<Message>(isRecord)), position: z.string() })

async function load(url: string, query = ''): Promise<z.infer<typeof history>> {
  return history.parse(await (await fetch(`${url}/api/chats/chat/messages?${query}`)).json())
}

function requestInline(url: string, messageId: string): Promise<Response> {
  const body = { id: 'chat', messages: [userMessage({ messageId })] }
  return sendJson(`${url}/api/chat?subAgents=inline`, body)
}

async function streamInline(url: string, messageId: string): Promise<readonly Chunk[]> {
  return chunksIn(await bytesOf(await requestInline(url, messageId)))
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}

function chunksIn(bytes: Buffer): readonly Chunk[] {
  return z.array(z.custom<Chunk>(isRecord)).parse(valuesOf(bytes))
}

/** What a client has that loads a history and then follows the log to a position. */
async function followed(
  url: string,
  { messages, position }: z.infer<typeof history>,
  upTo: string,
): Promise<unknown> {
  await using log = new SseBytes(await fetch(`${url}/api/chats/chat/log?after=${position}`))
  while (sseEventsIn(log.bytes).at(-1)?.id !== upTo) await log.more()
  const entries = sseEventsIn(log.bytes).map(({ data = '' }) => {
    const parsed = parseEntry(data)
    if (parsed.type !== 'entry') throw new Error(`Not an entry: ${data}`)
    return parsed.entry
  })
  return fromWire(messagesOf(entries.reduce(fold, chatFrom(messages, parsePosition(position)?.seq ?? -1))))
}
