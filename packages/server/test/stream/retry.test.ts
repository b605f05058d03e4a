import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import { query } from '@throughline/testing/http/query-requests'
import { SseBytes, sseEventsIn, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { EventSource } from 'eventsource'
import { describe, expect, test } from 'vitest'
import { retryMs } from '../../src/stream/bytes/send-stream.ts'

const question = { id: 'question', role: 'user', content: 'Is it?' }

const runStreams: readonly [string, (url: string) => Promise<Response>][] = [
  ['chunks', url => ask(url)],
  ['chunks with sub-agents inline', url => ask(url, { form: '?subAgents=inline' })],
  ['chunks without sub-agents', url => ask(url, { form: '?subAgents=hidden' })],
  ['chunks of AI SDK 5', url => ask(url, { form: '?sdk=5' })],
  ['chunks of AI SDK 6', url => ask(url, { form: '?sdk=6' })],
  ['AG-UI events', url => sendJson(`${url}/ag-ui`, { threadId: 'chat', runId: 'run', messages: [question] })],
  ['events of the event API', url => query(url)],
  ['events of the event API, step by step', url => query(url, { path: 'query-stream' })],
]

describe('a stream says once, before its first event, how long to wait before coming back', () => {
  test.each(runStreams)('%s', async (_, open) => {
    await using server = await startTestServer()
    const bytes = Buffer.from(await (await open(server.url)).arrayBuffer())
    expect(bytes.toString()).toMatch(new RegExp(`^retry: ${retryMs}\n\n`))
    // Throws if it is there twice.
    expect(withoutRetry(bytes).length).toBeGreaterThan(0)
  })

  test('the log of a chat, at once and again when it is resumed', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).arrayBuffer()
    const url = `${server.url}/api/chats/chat/log`
    await using log = new SseBytes(await fetch(url))
    await log.until('"type":"finish"')
    expect(withoutRetry(log.bytes).length).toBeGreaterThan(0)
    const id = sseEventsIn(log.bytes).at(-1)?.id ?? ''
    // Nothing comes after the last entry, and still the field does.
    await using resumed = new SseBytes(await fetch(url, { headers: { 'last-event-id': id } }))
    expect((await resumed.until('\n\n')).toString()).toBe(`retry: ${retryMs}\n\n`)
  })

  test('the answer that is being written, resumed at any event', async () => {
    await using server = await startTestServer()
    const sseEvents = sseEventsIn(Buffer.from(await (await ask(server.url)).arrayBuffer()))
    for (const { id } of sseEvents) {
      if (id === undefined) continue
      const headers = { 'last-event-id': id }
      const response = await fetch(`${server.url}/api/chat/chat/stream`, { headers })
      withoutRetry(Buffer.from(await response.arrayBuffer()))
    }
  })
})

test('data stream lines have no such field: their readers would take it for a broken line', async () => {
  await using server = await startTestServer()
  expect(await (await ask(server.url, { form: '?format=data-stream' })).text()).not.toContain('retry')
})

test('an EventSource reads the events, and nothing for the field', async () => {
  await using server = await startTestServer()
  const bytes = Buffer.from(await (await ask(server.url)).arrayBuffer())
  const [{ id = '' } = {}] = sseEventsIn(bytes)
  const source = new EventSource(`${server.url}/api/chat/chat/stream?after=${id.replace(/\d+$/, '0')}`)
  const read: unknown[] = []
  try {
    await new Promise<void>(resolve => {
      source.addEventListener('message', ({ data }) => {
        read.push(data)
        if (data === '[DONE]') resolve()
      })
    })
  } finally {
    source.close()
  }
  expect(read).toEqual(sseEventsIn(bytes).map(({ data }) => data))
})
