import { textOf } from '@throughline/protocol'
import { openPostgresStore } from '@throughline/store/testing'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { type Fault, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import {
  ask,
  loadAnswer,
  loadChat,
  problemOf,
  sendJson,
  stop,
  submit,
} from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { until } from '@throughline/testing/waits/until'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'

// A node on Postgres, with a network between them that fails. The limits are short here: see `quick`. Most of the time is spent
// waiting, so the tests run side by side.

const away = [
  { name: 'refuses connections', fault: { type: 'reset', afterBytes: 0 } },
  { name: 'ends connections', fault: { type: 'cut', afterBytes: 0 } },
  { name: 'is behind a black hole', fault: { type: 'black-hole', afterBytes: 0 } },
] as const satisfies readonly { readonly name: string; readonly fault: Fault }[]

describe.concurrent.each(away)('while Postgres $name', ({ fault }) => {
  test('a run waits, its agent with it, and then its viewer gets everything', async () => {
    const { agent, letGo, said } = talkativeAgent()
    await using node = await startDisturbed({ agents: [agent] })
    await using viewer = new SseBytes(await ask(node.url))
    await viewer.until('I begin.')
    node.proxy.disturb(fault)
    letGo()
    await untilHealth(node.url, 503)
    // The agent is ahead of the log by no more than what may wait for it.
    expect(said()).toBeLessThan(pieceCount)
    node.proxy.disturb({ type: 'none' })
    expect((await viewer.rest()).toString()).toContain('[DONE]')
    expect(said()).toBe(pieceCount)
    const answer = await loadAnswer(node.url)
    expect(answer.metadata?.status).toBe('finished')
    expect(textOf(answer)).toBe(`I begin.${piece.repeat(pieceCount)}`)
  })

  test('a run ends when that lasts too long, and says why; afterwards everything works without a restart', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')], after: [say(' I go on.')] })
    await using node = await startDisturbed({ agents: [agent], maxWaitMs: 300 })
    await using viewer = new SseBytes(await ask(node.url))
    await viewer.until('I begin.')
    node.proxy.disturb(fault)
    letGo()
    await node.untilLogged('a run could not be written')
    await untilHealth(node.url, 503)
    expect(await problemOf(await fetch(`${node.url}/ready`))).toMatchObject({
      status: 503,
      code: 'store-unavailable',
    })
    expect(await problemOf(await submit(node.url, { messageId: 'early' }))).toMatchObject({
      status: 503,
      code: 'store-unavailable',
    })
    node.proxy.disturb({ type: 'none' })
    expect((await viewer.rest()).toString()).toContain('database')
    await untilHealth(node.url, 200)
    expect((await fetch(`${node.url}/ready`)).status).toBe(200)
    const answer = await loadAnswer(node.url)
    expect(answer.metadata).toMatchObject({
      status: 'interrupted',
      statusText: expect.stringContaining('database'),
    })
    expect(textOf(answer)).toBe('I begin.')
    await until(async () => (await node.store.runs.unfinished()).length === 0)
    expect(await (await ask(node.url, { messageId: 'next' })).text()).toContain('I go on.')
    expect((await loadChat(node.url)).messages.map(({ id, role }) => (role === 'user' ? id : role))).toEqual([
      'question',
      'assistant',
      'next',
      'assistant',
    ])
  })
})

describe.concurrent('what people send while Postgres is away for a moment', () => {
  test('is taken when it is back: a message, and the name of a chat', async () => {
    await using node = await startDisturbed()
    await (await ask(node.url)).text()
    node.proxy.disturb(refusing)
    const submitted = submit(node.url, { chatId: 'another' })
    const renamed = sendJson(`${node.url}/api/chats/chat`, { title: 'A name' }, { method: 'PATCH' })
    await untilHealth(node.url, 503)
    node.proxy.disturb({ type: 'none' })
    expect((await submitted).status).toBe(202)
    expect((await renamed).status).toBe(200)
    await until(async () => (await statusOf(node.url, 'another')) === 'finished')
  })

  test('is taken when it is back: a decision on a call that waits', async () => {
    const { serverOptions, removed } = asksApproval()
    await using node = await startDisturbed(serverOptions)
    await using viewer = new SseBytes(await ask(node.url, { form: '?approvals=wait' }))
    await viewer.until('"approvalId":')
    node.proxy.disturb(refusing)
    const decided = decide(node.url, approvalIn(viewer.bytes), { approved: true })
    await untilHealth(node.url, 503)
    node.proxy.disturb({ type: 'none' })
    expect((await decided).status).toBe(200)
    await viewer.rest()
    expect(removed).toEqual(['all'])
  })

  test('stops a run at once, which is saved when it is back', async () => {
    const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
    await using node = await startDisturbed({ agents: [agent] })
    await using viewer = new SseBytes(await ask(node.url))
    await viewer.until('I begin.')
    node.proxy.disturb(refusing)
    await untilHealth(node.url, 503)
    const stopped = await stop(node.url)
    expect({ status: stopped.status, body: await stopped.json() }).toEqual({
      status: 202,
      body: { result: 'stopping' },
    })
    node.proxy.disturb({ type: 'none' })
    await viewer.rest()
    expect(await statusOf(node.url, 'chat')).toBe('stopped')
  })
})

test.concurrent('a request that Postgres does not respond to gets a 503 that says when to come again', async () => {
  await using node = await startDisturbed({ statementTimeoutMs: 60_000 })
  await (await ask(node.url)).text()
  node.proxy.disturb({ type: 'black-hole', afterBytes: 0 })
  const read = await fetch(`${node.url}/api/chats/chat/messages`)
  expect(read.headers.get('retry-after')).not.toBeNull()
  expect(await problemOf(read)).toMatchObject({ status: 503, code: 'store-unavailable' })
  node.proxy.disturb({ type: 'none' })
  node.proxy.resetAll()
})

test.concurrent('a server that shuts down while Postgres is away does not wait for it', async () => {
  const { agent, letGo } = talkativeAgent()
  await using node = await startDisturbed({ agents: [agent], maxWaitMs: 600_000 })
  await using viewer = new SseBytes(await ask(node.url))
  await viewer.until('I begin.')
  node.proxy.disturb(refusing)
  letGo()
  await untilHealth(node.url, 503)
  await node.close()
  node.proxy.disturb({ type: 'none' })
  expect(await node.store.runs.unfinished()).toHaveLength(1)
})

test.concurrent('with a slow network to Postgres, answers are complete, for every viewer', async () => {
  await using node = await startDisturbed()
  node.proxy.disturb({ type: 'latency', delayMs: 20 })
  await using first = new SseBytes(await ask(node.url))
  await using second = new SseBytes(await ask(node.url))
  const bytes = (await first.rest()).toString()
  expect(bytes).toContain('The sky is clear.')
  expect((await second.rest()).toString()).toBe(bytes)
  expect((await fetch(`${node.url}/health`)).status).toBe(200)
})

interface DisturbedOptions extends Omit<TestServerOptions, 'logger' | 'openStore'> {
  /** How long appends wait for the database, in milliseconds. Default: long enough for every test. */
  readonly maxWaitMs?: number
  readonly statementTimeoutMs?: number
}

/** By default the limits are 10 and 30 seconds. */
const quick = { connectTimeoutMs: 1_500, statementTimeoutMs: 1_500, timeoutMs: 1_500 }

/** Starts a real server whose connections to Postgres go through a proxy. */
async function startDisturbed({
  maxWaitMs = 60_000,
  statementTimeoutMs = quick.statementTimeoutMs,
  ...options
}: DisturbedOptions = {}) {
  const database = await testDatabase()
  const proxy = await startFaultProxy(database.url)
  const lines: string[] = []
  const openStore = async () => {
    const store = await openPostgresStore(proxiedUrl(database.url, proxy), {
      ...{ ...quick, statementTimeoutMs, maxWaitMs },
    })
    const dispose = () => store.close()
    return { store, folder: '', reopen: () => Promise.reject(new Error()), [Symbol.asyncDispose]: dispose }
  }
  const server = await startTestServer({
    ...options,
    openStore,
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  })
  return {
    url: server.url,
    store: server.store,
    proxy,
    close: () => server.close(),
    untilLogged: (text: string) =>
      until(() => lines.join('').includes(text), { what: `the log says ${text}` }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const refusing: Fault = { type: 'reset', afterBytes: 0 }
const piece = ` ${'word '.repeat(200)}`
const pieceCount = 500

/** An agent that says much more than may wait for the log. */
function talkativeAgent() {
  const held = Promise.withResolvers<void>()
  let count = 0
  const agent = scriptedAgent('assistant', async function* () {
    yield say('I begin.')
    await held.promise
    for (; count < pieceCount; count += 1) yield say(piece)
    yield finish
  })
  return { agent, letGo: held.resolve, said: () => count }
}

async function statusOf(url: string, chatId: string): Promise<unknown> {
  const { messages } = await loadChat(url, chatId)
  return messages.findLast(({ role }) => role === 'assistant')?.metadata?.status
}

async function untilHealth(url: string, status: number): Promise<void> {
  await until(async () => (await fetch(`${url}/health`)).status === status, {
    what: `the health is ${status}`,
  })
}
