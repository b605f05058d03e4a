import { logName } from '@throughline/log'
import { type Entry, isChatId, isOwnerId, type Position } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { type Fault, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { ask } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { type Received, type ReceiveOptions, receive } from '../../src/chat/receive.ts'

const agents = [
  scriptedAgent('assistant', [...[...'今天天气很好，👩‍👩‍👧 and so on, for a while. '].map(say), finish]),
]

describe('over a real connection every entry comes once and in order', () => {
  test.each<[string, Fault]>([
    ['late', { type: 'latency', delayMs: 2 }],
    ['byte by byte', { type: 'trickle' }],
    ['until it is cut', { type: 'cut', afterBytes: 1_000 }],
    ['until it is reset', { type: 'reset', afterBytes: 1_000 }],
    ['until it falls silent', { type: 'black-hole', afterBytes: 1_000 }],
    ['until it is cut within the headers', { type: 'cut', afterBytes: 300 }],
    ['after nobody answered at all', { type: 'black-hole', afterBytes: 0 }],
  ])('%s', async (_, fault) => {
    await using server = await answeredChat()
    const isHarmed = (connection: number) => connection < 2
    await using proxy = await startFaultProxy(server.url, connection =>
      isHarmed(connection) ? fault : { type: 'none' },
    )
    const entries = await entriesAfter(server, 0)
    const received = await receiveAll(
      { url: logUrl(proxy.url), after: await startOf(server), stallMs: 200 },
      { lastSeq: entries.length },
    )

    expect(entriesIn(received)).toEqual(entries)
    expect(proxy.connectionCount).toBeGreaterThanOrEqual('afterBytes' in fault ? 3 : 1)
  })

  test('when the server is started anew', async () => {
    await using server = await answeredChat()
    let url = server.url
    const half = Math.floor((await entriesAfter(server, 0)).length / 2)
    const after = { ...(await startOf(server)), seq: half }
    const received = receive({
      ...defaults,
      url: '/api/chats/chat/log',
      after,
      request: (path, init) => fetch(url + path, init),
    })
    const seen = await receivedUntil(received, ({ type }) => type === 'entries')

    await server.close()
    await using next = await startTestServer({ agents, wrapStore: () => server.store })
    url = next.url
    await (await ask(url, { messageId: 'second' })).text()
    const entries = await entriesAfter(server, half)
    seen.push(...(await receivedUntil(received, each => lastSeqOf(each) === entries.at(-1)?.seq)))
    await received.return()

    expect(entriesIn(seen)).toEqual(entries)
  })
})

describe('over a real connection', () => {
  test('a position of another log, of the future and of no log at all is answered with a reset', async () => {
    await using server = await answeredChat()
    const { epoch } = await startOf(server)
    for (const after of [
      { epoch: 'elsewhere', seq: 1 },
      { epoch, seq: 10_000 },
      { epoch: '', seq: 0 },
    ]) {
      const received = await receiveAll({ url: logUrl(server.url), after })
      expect(received).toEqual([{ type: 'connected' }, { type: 'reset' }])
    }
  })

  test('a log that is removed while it is followed ends with a reset', async () => {
    await using server = await answeredChat()
    const entries = await entriesAfter(server, 0)
    const received = receive({ ...defaults, url: logUrl(server.url), after: await startOf(server) })
    const seen = await receivedUntil(received, each => lastSeqOf(each) === entries.length)
    await server.store.log.remove(name)

    expect(await Array.fromAsync(received)).toEqual([{ type: 'reset' }])
    expect(entriesIn(seen)).toEqual(entries)
  })

  test('an unknown chat ends it with the server’s words', async () => {
    await using server = await startTestServer()
    await expect(receiveAll({ url: logUrl(server.url) })).rejects.toMatchObject({
      code: 'chat-not-found',
      status: 404,
      message: 'There is no chat "chat".',
    })
  })

  test('a missing token ends it with the server’s words', async () => {
    await using server = await startTestServer({ tokens: new Map([['secret', idOf(isOwnerId, 'ann')]]) })
    await expect(receiveAll({ url: logUrl(server.url) })).rejects.toMatchObject({
      code: 'token-required',
      status: 401,
      message: 'Send a known token in the header "authorization: Bearer TOKEN".',
    })
  })
})

const name = logName({ ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'chat') })

const defaults: ReceiveOptions = {
  url: '',
  after: { epoch: 'none', seq: 0 },
  signal: new AbortController().signal,
  request: (url, init) => fetch(url, init),
  backoff: { firstMs: 5, maxMs: 50 },
}

async function answeredChat(): Promise<TestServer> {
  const server = await startTestServer({ agents, heartbeatMs: 50 })
  await (await ask(server.url)).text()
  return server
}

async function startOf({ store }: TestServer): Promise<Position> {
  return { ...(await store.log.open(name)), seq: 0 }
}

async function entriesAfter(server: TestServer, seq: number): Promise<readonly Entry[]> {
  return server.store.log.read(name, { ...(await startOf(server)), seq }, 1_000)
}

/** Receives to the end, or until the entry with a number has come. */
async function receiveAll(
  options: Partial<ReceiveOptions>,
  { lastSeq = Number.POSITIVE_INFINITY } = {},
): Promise<readonly Received[]> {
  const received = receive({ ...defaults, ...options })
  const seen = await receivedUntil(received, each => lastSeqOf(each) === lastSeq)
  await received.return()
  return seen
}

async function receivedUntil(
  received: AsyncGenerator<Received, void, undefined>,
  isLast: (each: Received) => boolean,
): Promise<Received[]> {
  const seen: Received[] = []
  for (;;) {
    const { done, value } = await received.next()
    if (done === true) return seen
    seen.push(value)
    if (isLast(value)) return seen
  }
}

function lastSeqOf(received: Received): number | undefined {
  return entriesIn([received]).at(-1)?.seq
}

function entriesIn(received: readonly Received[]): readonly Entry[] {
  return received.flatMap(each => (each.type === 'entries' ? each.entries : []))
}

function logUrl(url: string): string {
  return `${url}/api/chats/chat/log`
}
