import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { settle } from '@throughline/testing/faults/held-writes'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Pieces } from '../../src/stream/bytes/encoded-pages.ts'
import { responseSink } from '../../src/stream/bytes/response-sink.ts'
import { Heartbeats, sendStream, sseTransport } from '../../src/stream/bytes/send-stream.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const maxStallMs = 1_000
const megabytes = Buffer.alloc(3 * 1024 * 1024, 'x')

test('a viewer who takes a large entry slowly but steadily gets all of it', async () => {
  const { viewer, response, sent } = await send([[megabytes]])
  while (!response.closed) {
    await settle()
    vi.advanceTimersByTime(maxStallMs - 1)
    viewer.take()
  }
  await sent
  expect(response.writableFinished).toBe(true)
  expect(viewer.body().equals(Buffer.concat([sseTransport.opening, megabytes]))).toBe(true)
})

test('a viewer who takes nothing is cut off, and has held little of a large entry', async () => {
  const { viewer, response, sent } = await send([[megabytes]])
  for (const _ of [1, 2, 3]) {
    await settle()
    viewer.take()
  }
  await settle()
  expect(response.writableLength).toBeGreaterThan(0)
  expect(response.writableLength).toBeLessThan(256 * 1024)
  vi.advanceTimersByTime(maxStallMs - 1)
  expect(response.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(response.destroyed).toBe(true)
  await sent
  expect(response.writableFinished).toBe(false)
})

test('a viewer who leaves while the server waits for them is waited for no longer', async () => {
  const { viewer, response, sent } = await send([[megabytes], [megabytes]])
  await settle()
  viewer.leave()
  await sent
  expect(response.writableFinished).toBe(false)
})

test('no heartbeat comes between two writes of one entry', async () => {
  const { viewer, response, sent } = await send([[megabytes]], { heartbeatMs: 10 })
  while (!response.closed) {
    await settle()
    vi.advanceTimersByTime(100)
    viewer.take()
  }
  await sent
  expect(viewer.body().equals(Buffer.concat([sseTransport.opening, megabytes]))).toBe(true)
})

test('pieces of every size arrive whole and in order', async () => {
  const pieces = [1, 2, 255, 256, 16_384, 16_385, 65_535, 65_536, 65_537].map(size => randomBytes(size))
  const { viewer, response, sent } = await send([pieces, [], pieces])
  await takeAll(viewer, response)
  await sent
  expect(viewer.body().equals(Buffer.concat([sseTransport.opening, ...pieces, ...pieces]))).toBe(true)
})

test('a client of HTTP/1.0 gets a body without chunks', async () => {
  const { viewer, response, sent } = await send([[Buffer.from('all')]], { version: '1.0' })
  await takeAll(viewer, response)
  await sent
  const bytes = viewer.bytes().toString()
  expect(bytes.slice(bytes.indexOf('\r\n\r\n') + 4)).toBe(`${sseTransport.opening}all`)
})

test('a middleware that has replaced `write` sees the body as it is', async () => {
  const viewer = new SlowViewer('1.1')
  const response = await viewer.response
  const seen: unknown[] = []
  const write = response.write.bind(response)
  response.write = (piece: unknown) => {
    seen.push(piece)
    return write(piece)
  }
  response.flushHeaders()
  const heartbeats = new Heartbeats({ heartbeatMs: 60_000 })
  const all = Buffer.from('all')
  const sent = sendStream(responseSink(response), pagesOf([[all]]), { heartbeats, maxStallMs })
  await takeAll(viewer, response)
  await sent
  expect(seen).toEqual([sseTransport.opening, all])
  expect(viewer.body().toString()).toBe(`${sseTransport.opening}all`)
})

async function takeAll(viewer: SlowViewer, response: ServerResponse): Promise<void> {
  while (!response.closed) {
    await settle()
    viewer.take()
  }
}

async function send(pages: readonly Pieces[], { heartbeatMs = 60_000, version = '1.1' } = {}) {
  const viewer = new SlowViewer(version)
  const response = await viewer.response
  response.flushHeaders()
  const heartbeats = new Heartbeats({ heartbeatMs })
  const sent = sendStream(responseSink(response), pagesOf(pages), { heartbeats, maxStallMs })
  return { viewer, response, sent }
}

async function* pagesOf(pages: readonly Pieces[]): AsyncGenerator<Pieces, void, undefined> {
  yield* pages
}

/** A client that has sent its request. It takes what is written to it only when the test says so. */
class SlowViewer {
  readonly #taken: Buffer[] = []
  #room = 0
  #waiting: (() => void) | undefined
  readonly #connection = new Duplex({
    read: () => undefined,
    write: (piece, _, done) => this.#wait([piece], done),
    writev: (pieces, done) => {
      const bytes = pieces.map(({ chunk }) => chunk)
      this.#wait(bytes, done)
    },
  })
  readonly response: Promise<ServerResponse>

  constructor(version: string) {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>()
    this.response = promise
    const server = createServer((_, response) => resolve(response))
    server.emit('connection', this.#connection)
    this.#connection.push(`GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`)
  }

  /** Takes some of what was written. A write is done when all of it was taken. */
  take(): void {
    this.#room += 128 * 1024
    this.#waiting?.()
  }

  leave(): void {
    this.#connection.destroy()
  }

  #wait(pieces: readonly Uint8Array[], done: () => void): void {
    const bytes = Buffer.concat(pieces)
    this.#room = 0
    this.#waiting = () => {
      if (this.#room < bytes.length) return
      this.#waiting = undefined
      this.#taken.push(bytes)
      done()
    }
  }

  /** Returns everything that was taken. */
  bytes(): Buffer {
    return Buffer.concat(this.#taken)
  }

  /** Returns the bytes of the body, without head and chunk framing. */
  body(): Buffer {
    const bytes = this.bytes()
    const chunks: Buffer[] = []
    let start = bytes.indexOf('\r\n\r\n') + 4
    for (;;) {
      const end = bytes.indexOf('\r\n', start)
      const size = Number.parseInt(bytes.toString('latin1', start, end), 16)
      if (!(size > 0)) return Buffer.concat(chunks)
      chunks.push(bytes.subarray(end + 2, end + 2 + size))
      start = end + 2 + size + 2
    }
  }
}
