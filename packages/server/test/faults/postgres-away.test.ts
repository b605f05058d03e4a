import { textOf } from '@throughline/protocol/message'
import { openPostgresStore } from '@throughline/store/open-postgres-store'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { type Fault, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { ask, loadAnswer, loadChat, problemOf, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'

// A node on Postgres, with a network between them that fails. The limits are short here: see `quick`.

const away = [
  { name: 'refuses connections', fault: { type: 'reset', afterBytes: 0 } },
  { name: 'ends connections', fault: { type: 'cut', afterBytes: 0 } },
  { name: 'is behind a black hole', fault: { type: 'black-hole', afterBytes: 0 } },
] as const satisfies readonly { readonly name: string; readonly fault: Fault }[]

describe.each(away)('while Postgres $name', ({ fault }) => {
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
    await expect.poll(() => node.store.runs.unfinished()).toEqual([])
    expect(await (await ask(node.url, { messageId: 'next' })).text()).toContain('I go on.')
    expect((await loadChat(node.url)).messages.map(({ id, role }) => (role === 'user' ? id : role))).toEqual([
      'question',
      'assistant',
      'next',
      'assistant',
    ])
  })
})

test('with a slow network to Postgres, answers are complete, for every viewer', async () => {
  await using node = await startDisturbed()
  node.proxy.disturb({ type: 'latency', delayMs: 20 })
  await using first = new SseBytes(await ask(node.url))
  await using second = new SseBytes(await ask(node.url))
  const bytes = (await first.rest()).toString()
  expect(bytes).toContain('The sky is clear.')
  expect((await second.rest()).toString()).toBe(bytes)
  expect((await fetch(`${node.url}/health`)).status).toBe(200)
})

interface DisturbedOptions extends Pick<TestServerOptions, 'agents'> {
  /** How long appends wait for the database, in milliseconds. Default: long enough for every test. */
  readonly maxWaitMs?: number
}

/** By default the limits are 10 and 30 seconds. */
const quick = { connectTimeoutMs: 1_500, statementTimeoutMs: 1_500, timeoutMs: 1_500 }

/** Starts a real server whose connections to Postgres go through a proxy. */
async function startDisturbed({ agents, maxWaitMs = 60_000 }: DisturbedOptions = {}) {
  const database = await testDatabase()
  const proxy = await startFaultProxy(database.url)
  const lines: string[] = []
  const openStore = async () => {
    const store = await openPostgresStore(proxiedUrl(database.url, proxy), { ...quick, maxWaitMs })
    const dispose = () => store.close()
    return { store, folder: '', reopen: () => Promise.reject(new Error()), [Symbol.asyncDispose]: dispose }
  }
  const server = await startTestServer({
    ...(agents && { agents }),
    openStore,
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  })
  return {
    url: server.url,
    store: server.store,
    proxy,
    untilLogged: (text: string) => expect.poll(() => lines.join(''), waiting).toContain(text),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const waiting = { timeout: 100_000, interval: 50 }
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

async function untilHealth(url: string, status: number): Promise<void> {
  await expect.poll(async () => (await fetch(`${url}/health`)).status, waiting).toBe(status)
}
