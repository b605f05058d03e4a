import { describe, expect, test } from 'vitest'
import { Heartbeats, sendStream, sseTransport } from '../../src/stream/bytes/send-stream.ts'
import { webSink } from '../../src/stream/bytes/web-sink.ts'

const piece = new Uint8Array(16 * 1024)
// The tests count what is read, so nothing comes before the pages.
const transport = { ...sseTransport, opening: new Uint8Array() }
const pacing = { heartbeats: new Heartbeats({ heartbeatMs: 60_000 }), maxStallMs: 60_000, transport }

describe('a web-standard stream', () => {
  test('takes no more than its buffer from the log while nobody reads', async () => {
    const { sink, body } = openSink()
    const source = countedPages(100)
    const sent = sendStream(sink, source.pages(), pacing)
    const reader = body.getReader()
    await source.untilIdle()
    const before = source.taken
    expect(before).toBeLessThan(8)
    await reader.read()
    await source.untilIdle()
    expect(source.taken).toBe(before + 1)
    while (!(await reader.read()).done);
    await sent
    expect(source.taken).toBe(100)
  })

  test('has finished when the last byte was taken, and not before', async () => {
    const { sink, body, events } = openSink()
    await sendStream(sink, countedPages(2).pages(), pacing)
    expect(events).toEqual([])
    const reader = body.getReader()
    await reader.read()
    expect(events).toEqual([])
    await reader.read()
    expect((await reader.read()).done).toBe(true)
    expect(events).toEqual(['finish', 'close'])
  })

  test('ends its source when the viewer cancels, and does not count as finished', async () => {
    const { sink, body, events } = openSink()
    const sent = sendStream(sink, countedPages(100).pages(), pacing)
    await body.cancel()
    await sent
    expect(events).toEqual(['close'])
    expect(sink.isClosed).toBe(true)
  })

  test('is cut with an error when the viewer takes nothing for too long', async () => {
    const { sink, body, events } = openSink()
    const reader = body.getReader()
    await sendStream(sink, countedPages(100).pages(), { ...pacing, maxStallMs: 5 })
    expect(events).toEqual(['close'])
    await expect(reader.read()).rejects.toThrow('Resume it from your position.')
  })

  test('beats while nothing happens, but only when the last beat was taken', async () => {
    const { sink, body } = openSink()
    const reader = body.getReader()
    const quiet = Promise.withResolvers<void>()
    const heartbeats = new Heartbeats({ heartbeatMs: 2 })
    const sent = sendStream(sink, silence(quiet.promise), { ...pacing, heartbeats })
    for (const _ of [1, 2, 3]) {
      const { value } = await reader.read()
      expect(Buffer.from(value ?? []).toString()).toBe(': heartbeat\n\n')
    }
    quiet.resolve()
    while (!(await reader.read()).done);
    await sent
  })
})

function openSink() {
  const events: string[] = []
  const { sink, body } = webSink({
    onClose: () => events.push('close'),
    onFinish: () => events.push('finish'),
  })
  return { sink, body, events }
}

/** Pages of one piece each. Counts how many were taken. */
function countedPages(count: number) {
  const source = {
    taken: 0,
    async *pages() {
      for (; source.taken < count; ) {
        source.taken += 1
        yield [piece]
      }
    },
    /** Resolves when no more pages were taken for a whole turn of the event loop. */
    async untilIdle() {
      for (let before = -1; before !== source.taken; ) {
        before = source.taken
        await new Promise(resolve => setImmediate(resolve))
      }
    },
  }
  return source
}

async function* silence(until: Promise<void>): AsyncGenerator<readonly Uint8Array[]> {
  await until
  yield []
}
