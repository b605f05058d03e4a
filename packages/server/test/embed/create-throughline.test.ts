import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import {
  finish,
  heldAgent,
  say,
  scriptedAgent,
  textToolText,
} from '@throughline/testing/agent/scripted-agent'
import { problemOf, userMessage } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'
import type { ThroughlineOptions } from '../../src/throughline-options.ts'
import { runBytes } from './log-bytes.ts'

const local = { ownerId: 'local', chatId: 'chat' }

describe('in the same process', () => {
  test('a message is sent, its run is followed to its end, and the chat is read', async () => {
    await using world = await open()
    const { throughline } = world
    const sent = await throughline.send({ ...local, text: 'How is the weather?', messageId: 'question' })
    expect(sent).toMatchObject({
      chatId: 'chat',
      messageId: 'question',
      position: expect.stringMatching(/\.0$/),
    })
    const entries = await Array.fromAsync(throughline.follow({ ...local, runId: sent.runId }))
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
    expect(entries.at(-1)).toMatchObject({ messageId: sent.responseMessageId, chunk: { type: 'finish' } })

    const later = throughline.follow({ ...local, runId: sent.runId, after: entries[2]?.position })
    expect(await Array.fromAsync(later)).toEqual(entries.slice(3))
    expect(await throughline.chats.list('local')).toMatchObject([{ id: 'chat' }])
    expect(await throughline.chats.get(local)).toMatchObject({ id: 'chat' })
    const history = await throughline.chats.messages(local)
    expect(history?.messages).toMatchObject([{ id: 'question' }, { id: sent.responseMessageId }])
    expect(history?.position).toBe(entries.at(-1)?.position)
    expect(throughline.agents).toMatchObject([{ name: 'assistant', displayName: 'The assistant' }])
  })

  test('the same message is answered once, and a message without a chat begins one', async () => {
    await using world = await open()
    const { throughline } = world
    const message = {
      ownerId: 'local',
      message: { id: 'u1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] },
    }
    const first = await throughline.send(message)
    const again = await throughline.send({ ...message, chatId: first.chatId })
    expect(again).toEqual(first)
    expect((await throughline.send(message)).chatId).not.toBe(first.chatId)
  })

  test('a chat is followed live until the signal aborts', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')] })
    await using world = await open({ agents: [agent] })
    const { throughline } = world
    const { runId } = await throughline.send({ ...local, text: 'Begin' })
    const left = new AbortController()
    const seen: string[] = []
    for await (const { chunk } of throughline.follow({ ...local, signal: left.signal })) {
      seen.push(chunk.type)
      if (chunk.type === 'text-delta') letGo()
      if (chunk.type === 'finish') left.abort()
    }
    expect(seen).toContain('data-message')
    const ofRun = await Array.fromAsync(throughline.follow({ ...local, runId }))
    expect(ofRun.map(({ chunk }) => chunk.type)).toEqual(seen)
  })

  test('a run is stopped', async () => {
    const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
    await using world = await open({ agents: [agent] })
    const { throughline } = world
    const { runId } = await throughline.send({ ...local, text: 'Begin' })
    expect(await throughline.stop(local)).toBe('stopped')
    const entries = await Array.fromAsync(throughline.follow({ ...local, runId }))
    expect(entries.at(-1)).toMatchObject({ chunk: { type: 'abort' } })
    expect(await throughline.stop(local)).toBe('already-ended')
    expect(await throughline.stop({ ...local, chatId: 'other' })).toBe('not-found')
  })

  test('what cannot be done is refused with a code', async () => {
    await using world = await open()
    const { throughline } = world
    const { runId } = await throughline.send({ ...local, text: 'Hi' })
    await Array.fromAsync(throughline.follow({ ...local, runId }))
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'none',
        error => error.code,
      )
    const followed = (chat: Parameters<typeof throughline.follow>[0]) =>
      Array.fromAsync(throughline.follow(chat))
    expect(await codeOf(throughline.send({ ...local, ownerId: 'a b', text: 'Hi' }))).toBe('invalid-id')
    expect(await codeOf(throughline.send({ ...local, chatId: '..', text: 'Hi' }))).toBe('invalid-id')
    expect(await codeOf(throughline.send(local))).toBe('invalid-body')
    expect(await codeOf(throughline.send({ ...local, text: 'Hi', agent: 'nobody' }))).toBe('unknown-agent')
    expect(await codeOf(followed({ ...local, chatId: 'other' }))).toBe('chat-not-found')
    expect(await codeOf(followed({ ...local, ownerId: 'ann' }))).toBe('chat-not-found')
    expect(await codeOf(followed({ ...local, after: 'nonsense' }))).toBe('position-unknown')
    expect(await codeOf(followed({ ...local, runId: 'run_other' }))).toBe('run-not-found')
    expect(await codeOf(throughline.chats.get({ ...local, chatId: '' }))).toBe('invalid-id')
    expect(await throughline.chats.messages({ ...local, ownerId: 'ann' })).toBeUndefined()
  })
})

describe('fetch', () => {
  test('answers requests that never were on a wire, with the bytes of the log', async () => {
    await using world = await open({ basePath: '/ai' })
    const { throughline, store } = world
    const response = await throughline.fetch(question('http://localhost/ai/api/chat'))
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await response.text()).toBe(await runBytes(store))
    const outside = await throughline.fetch(new Request('http://localhost/api/chats'))
    expect(await problemOf(outside)).toMatchObject({ status: 404, code: 'route-not-found' })
    const foreign = await throughline.fetch(new Request('http://example.org/ai/api/chats'))
    expect(await problemOf(foreign)).toMatchObject({ status: 421, code: 'wrong-host' })
  })

  test('lets a viewer go whose request is aborted', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')] })
    await using world = await open({ agents: [agent] })
    const left = new AbortController()
    const response = await world.throughline.fetch(question('http://localhost/api/chat', left.signal))
    await using stream = new SseBytes(response)
    await stream.until('I begin.')
    left.abort()
    await expect(stream.rest()).rejects.toThrow()
    letGo()
  })

  test('gives only the head to HEAD', async () => {
    await using world = await open()
    await world.throughline.send({ ...local, text: 'Hi' })
    const head = await world.throughline.fetch(
      new Request('http://localhost/api/chats/chat/log', { method: 'HEAD' }),
    )
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await head.text()).toBe('')
  })
})

test('close ends runs and streams, and later requests are refused', async () => {
  const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
  await using world = await open({ agents: [agent] })
  const { throughline, store } = world
  await using stream = new SseBytes(await throughline.fetch(question('http://localhost/api/chat')))
  await stream.until('I begin.')
  const unread = await throughline.fetch(new Request('http://localhost/api/chats/chat/log'))
  const followed = Array.fromAsync(throughline.follow(local))
  const closed = throughline.close()
  expect((await stream.rest()).toString()).toMatch(
    /"reason":"The server was shut down."}\n\ndata: \[DONE\]\n\n$/,
  )
  expect((await followed).at(-1)).toMatchObject({ chunk: { type: 'abort' } })
  await closed
  await expect(unread.text()).rejects.toThrow('The stream was cut off.')
  expect(await store.runs.unfinished()).toEqual([])
  const late = await throughline.fetch(new Request('http://localhost/health'))
  expect(await problemOf(late)).toMatchObject({ status: 503, code: 'shutting-down' })
  await throughline.close()
})

test('runs of an earlier process have ended before there is anything to ask', async () => {
  const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
  await using opened = await temporaryStore()
  const earlier = await createThroughline(optionsOf({ store: opened.store, agents: [agent] }))
  await earlier.send({ ...local, text: 'Begin' })
  await using later = await createThroughline(optionsOf({ store: opened.store, agents: [agent] }))
  const history = await later.chats.messages(local)
  expect(history?.messages.at(-1)).toMatchObject({ metadata: { status: 'interrupted' } })
  await earlier.close()
})

test('without tokens another machine is refused, with tokens it is asked for one', async () => {
  await using world = await open()
  expect(await statusFor(world.throughline.handle, '10.0.0.7')).toBe(401)
  expect(await statusFor(world.throughline.handle, '::ffff:127.0.0.1')).toBe(200)
  await using guarded = await open({ tokens: new Map([['secret', ownerIdOf('ann')]]) })
  expect(await statusFor(guarded.throughline.handle, '10.0.0.7')).toBe(200)
})

test.each([
  [{ basePath: 'ai' }, /basePath is "ai"/],
  [{ heartbeatMs: 0 }, /heartbeatMs is 0/],
])('options that cannot work are refused: %j', async (options, why) => {
  await using opened = await temporaryStore()
  const agents = [scriptedAgent('assistant', [finish])]
  await expect(createThroughline({ ...options, store: opened.store, agents })).rejects.toThrow(why)
})

async function open(options: Partial<ThroughlineOptions> = {}) {
  const opened = await temporaryStore()
  const throughline = await createThroughline(optionsOf({ store: opened.store, ...options }))
  return {
    throughline,
    store: opened.store,
    async [Symbol.asyncDispose]() {
      await throughline.close()
      await opened[Symbol.asyncDispose]()
    },
  }
}

function optionsOf(
  options: Pick<ThroughlineOptions, 'store'> & Partial<ThroughlineOptions>,
): ThroughlineOptions {
  return { agents: [scriptedAgent('assistant', textToolText)], logger: pino({ level: 'silent' }), ...options }
}

function question(url: string, signal?: AbortSignal): Request {
  return new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'chat', messages: [userMessage()] }),
    ...(signal && { signal }),
  })
}

/** Returns the status of `GET /health` for a client with this address. */
async function statusFor(
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
  remoteAddress: string,
): Promise<number> {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
  const incoming = new IncomingMessage(socket)
  Object.assign(incoming, { method: 'GET', url: '/health', headers: { host: 'localhost' } })
  incoming.rawHeaders.push('host', 'localhost')
  const outgoing = new ServerResponse(incoming)
  handle(incoming, outgoing)
  while (!outgoing.writableEnded) await new Promise(resolve => setImmediate(resolve))
  return outgoing.statusCode
}
