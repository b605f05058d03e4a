import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Fault, seededFaults, startFaultProxy } from '../../src/faults/fault-proxy.ts'

const question = Buffer.from('Where is it? 在哪里？')
const answer = Buffer.from('Here. 这里 👋'.repeat(200))

describe('a connection through the proxy', () => {
  test.each<Fault>([{ type: 'none' }, { type: 'latency', delayMs: 2 }, { type: 'trickle' }])(
    'brings every byte unchanged: $type',
    async fault => {
      await using server = await startAnswering()
      await using proxy = await startFaultProxy(server.url, () => fault)

      expect(await ask(proxy.url)).toEqual({ bytes: answer, end: 'ended' })
      expect(server.asked).toEqual([question])
    },
  )

  test.each<[Fault['type'], string]>([
    ['cut', 'ended'],
    ['reset', 'ECONNRESET'],
  ])('is %s after exactly so many bytes of both directions', async (type, end) => {
    await using server = await startAnswering()
    const afterBytes = question.length + 100
    await using proxy = await startFaultProxy(server.url, () => faultOf(type, afterBytes))
    const outcome = await ask(proxy.url)

    expect(outcome.end).toBe(end)
    // A reset may overtake what was sent before it.
    expect(answer.subarray(0, 100).subarray(0, outcome.bytes.length)).toEqual(outcome.bytes)
    if (type === 'cut') expect(outcome.bytes).toHaveLength(100)
  })

  test('stays open and silent in a black hole, until the proxy is gone', async () => {
    await using server = await startAnswering()
    const proxy = await startFaultProxy(server.url, () => faultOf('black-hole', question.length + 100))
    const socket = connectTo(proxy.url)
    const end = endOf(socket)
    const received = bytesOf(socket)
    socket.write(question)
    while (received().length < 100) await once(socket, 'data')

    expect(received()).toEqual(answer.subarray(0, 100))
    expect(proxy.openCount).toBe(1)
    await proxy[Symbol.asyncDispose]()
    expect(await end).toBe('ECONNRESET')
    expect(proxy.openCount).toBe(0)
  })

  test('is disturbed while it is open, and so are new ones, until the proxy is told otherwise', async () => {
    await using server = await startAnswering()
    await using proxy = await startFaultProxy(server.url)
    const socket = connectTo(proxy.url)
    const end = endOf(socket)
    await once(socket, 'connect')
    proxy.disturb({ type: 'reset', afterBytes: 0 })
    socket.write(question)
    expect(await end).toBe('ECONNRESET')
    expect(await ask(proxy.url)).toMatchObject({ end: 'ECONNRESET' })
    proxy.disturb({ type: 'none' })
    expect(await ask(proxy.url)).toEqual({ bytes: answer, end: 'ended' })
  })

  test.each([
    ['client', 0],
    ['upstream', 1],
    ['both', 0],
  ] as const)('holds the bytes of %s, and passes them on afterwards', async (from, askedMeanwhile) => {
    await using server = await startAnswering()
    await using proxy = await startFaultProxy(server.url)
    proxy.disturb({ type: 'hold', from })
    const socket = connectTo(proxy.url)
    const end = endOf(socket)
    const received = bytesOf(socket)
    socket.write(question)
    while (server.asked.length < askedMeanwhile || proxy.openCount < 1) await nextTurn()
    // A connection without a fault goes through meanwhile.
    await using other = await startFaultProxy(server.url)
    await ask(other.url)
    expect(server.asked).toHaveLength(askedMeanwhile + 1)
    expect(received()).toHaveLength(0)

    proxy.disturb({ type: 'none' })
    expect(await end).toBe('ended')
    expect(received()).toEqual(answer)
  })

  test('leads to another server after a move, and those that are open stay', async () => {
    await using first = await startAnswering()
    await using second = await startAnswering()
    await using proxy = await startFaultProxy(first.url)
    const socket = connectTo(proxy.url)
    const end = endOf(socket)
    while (proxy.connectionCount < 1) await nextTurn()
    proxy.moveTo(second.url)
    expect(await ask(proxy.url)).toEqual({ bytes: answer, end: 'ended' })
    socket.write(question)

    expect(await end).toBe('ended')
    expect([first.asked.length, second.asked.length]).toEqual([1, 1])
  })

  test('is harmed by its number, and all of them are reset at once when asked', async () => {
    await using server = await startAnswering()
    await using proxy = await startFaultProxy(server.url, connection =>
      connection === 0 ? faultOf('cut', 0) : { type: 'none' },
    )
    expect(await ask(proxy.url)).toMatchObject({ bytes: Buffer.alloc(0) })
    expect(await ask(proxy.url)).toMatchObject({ bytes: answer })
    const socket = connectTo(proxy.url)
    while (proxy.connectionCount < 3) await nextTurn()
    proxy.resetAll()

    expect(await endOf(socket)).toBe('ECONNRESET')
    expect(proxy.connectionCount).toBe(3)
  })
})

test('the same seed gives the same faults, and sound connections after the first few', () => {
  const faultsOf = (seed: number) =>
    Array.from({ length: 6 }, (_, connection) => seededFaults(seed)(connection))

  expect(faultsOf(7)).toEqual(faultsOf(7))
  expect(faultsOf(7)).not.toEqual(faultsOf(8))
  for (let seed = 0; seed < 50; seed += 1) {
    expect(faultsOf(seed).slice(4)).toEqual([{ type: 'none' }, { type: 'none' }])
  }
})

function faultOf(type: Fault['type'], afterBytes: number): Fault {
  return type === 'cut' || type === 'reset' || type === 'black-hole' ? { type, afterBytes } : { type: 'none' }
}

async function ask(url: string): Promise<{ readonly bytes: Buffer; readonly end: string }> {
  const socket = connectTo(url)
  const received = bytesOf(socket)
  socket.write(question)
  const end = await endOf(socket)
  return { bytes: received(), end }
}

function connectTo(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1')
}

/** How a connection closes: as it should, or with which error. */
async function endOf(socket: Socket): Promise<string> {
  let end = 'ended'
  socket.on('error', (error: NodeJS.ErrnoException) => {
    end = error.code ?? error.message
  })
  await new Promise(resolve => socket.resume().once('close', resolve))
  return end
}

function bytesOf(socket: Socket): () => Buffer {
  const pieces: Uint8Array[] = []
  socket.on('data', piece => pieces.push(Buffer.from(piece)))
  return () => Buffer.concat(pieces)
}

/** A server that answers a whole question, and hangs up. */
async function startAnswering() {
  const asked: Buffer[] = []
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    const received = bytesOf(socket)
    socket.on('data', () => {
      if (received().length < question.length) return
      asked.push(received())
      socket.end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}
