import { chatFrom, fold, messagesOf, parseEntry, parsePosition } from '@throughline/protocol'
import {
  finish,
  heldAgent,
  say,
  scriptedAgent,
  textToolText,
} from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf } from '@throughline/testing/http/chat-requests'
import { RawConnection } from '@throughline/testing/http/raw-http'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

test('history at any moment and the log from its position on are the whole chat: no gap, no duplicate', async () => {
  const told = Promise.withResolvers<void>()
  const histories: Awaited<ReturnType<typeof loadChat>>[] = []
  const agent = scriptedAgent('assistant', async function* () {
    await told.promise
    for (const event of textToolText) {
      histories.push(await loadChat(server.url))
      yield event
    }
  })
  await using server = await startTestServer({
    agents: [scriptedAgent('first', [say('One.'), finish]), agent],
  })
  await (await ask(server.url, { messageId: 'first' })).text()
  histories.push(await loadChat(server.url))
  await using stream = new SseBytes(await ask(server.url, { fields: { agent: 'assistant' } }))
  histories.push(await loadChat(server.url))
  told.resolve()
  await stream.rest()

  const { messages, position } = await loadChat(server.url)
  expect(messages).toMatchObject([
    { id: 'first' },
    {},
    { id: 'question' },
    { metadata: { status: 'finished' } },
  ])
  for (const history of [...histories, { messages: [], position: position.replace(/\.\d+$/, '.0') }]) {
    expect(await followed(server.url, history, position)).toEqual(messages)
  }
})

describe('the log of a chat', () => {
  test('shows every run to everybody, in one order, and stays open', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    await using early = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
    await early.until('"type":"finish"')
    await (await ask(server.url, { messageId: 'second' })).text()
    const { position } = await loadChat(server.url)
    await using late = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
    const last = `id: ${position}\n`
    expect(sseEventsIn(await late.until(last)).length).toBe(sseEventsIn(await early.until(last)).length)
    expect(late.bytes.toString()).toBe(early.bytes.toString())
  })

  test('prefers the position that the browser remembers', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const { position } = await loadChat(server.url)
    const epoch = position.split('.')[0]
    const headers = { 'last-event-id': `${epoch}.3` }
    await using log = new SseBytes(
      await fetch(`${server.url}/api/chats/chat/log?after=${epoch}.1`, { headers }),
    )
    while (sseEventsIn(log.bytes).length === 0) await log.more()
    expect(sseEventsIn(log.bytes)[0]?.id).toBe(`${epoch}.4`)
  })

  test.each([
    '',
    'nonsense',
    '0',
    '.5',
    'EPOCH.',
    'EPOCH.-1',
    'EPOCH.999',
    'EPOCH.1e3',
    'other.1',
    'EPOCH.9007199254740993',
  ])('answers the position %j with a reset to where it stands, and ends', async text => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const { position } = await loadChat(server.url)
    const after = encodeURIComponent(text.replace('EPOCH', position.split('.')[0] ?? ''))
    const response = await fetch(`${server.url}/api/chats/chat/log?after=${after}`)
    expect(await response.text()).toBe(`retry: 1000\n\nevent: reset\ndata: {"position":"${position}"}\n\n`)
    const resumed = await fetch(`${server.url}/api/chat/chat/stream?after=${after}`)
    expect(await problemOf(resumed)).toMatchObject({ status: 410, code: 'position-unknown', position })
  })
})

describe('a stream', () => {
  test('beats while nothing happens', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')] })
    await using server = await startTestServer({ agents: [agent], heartbeatMs: 5 })
    await using run = new SseBytes(await ask(server.url))
    // A slow server begins the response before there is a chat.
    await run.until('Wait')
    await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
    for (const stream of [run, log]) await stream.until(': heartbeat\n\n: heartbeat\n\n')
    letGo()
    expect((await run.rest()).toString()).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('begins at once, although nothing has happened yet', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const { position } = await loadChat(server.url)
    const response = await fetch(`${server.url}/api/chats/chat/log?after=${position}`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    await response.body?.cancel()
  })

  test('is the same for two viewers, one of which came late', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using server = await startTestServer({ agents: [agent] })
    await using first = new SseBytes(await ask(server.url))
    await first.until('The sky')
    await using second = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream`))
    await second.until('The sky')
    letGo()
    expect((await second.rest()).toString()).toBe((await first.rest()).toString())
  })

  test.each(['/api/chats/chat/log', '/api/chat/chat/stream'])(
    'has an end when only its head was asked for: %s',
    async path => {
      const { agent } = heldAgent('assistant', { before: [say('Wait')] })
      await using server = await startTestServer({ agents: [agent] })
      await using run = new SseBytes(await ask(server.url))
      await run.until('Wait')
      await using connection = new RawConnection(server.url)
      for (const line of [`HEAD ${path}`, 'GET /health']) {
        connection.send(`${line} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
        expect(await connection.response()).toMatchObject({ status: 200 })
      }
    },
  )
})

/** What a client has that loads a history and then follows the log to a position. */
async function followed(
  url: string,
  history: Awaited<ReturnType<typeof loadChat>>,
  upTo: string,
): Promise<unknown> {
  let chat = chatFrom(history.messages, parsePosition(history.position)?.seq ?? -1)
  if (history.position === upTo) return fromWire(messagesOf(chat))
  await using log = new SseBytes(await fetch(`${url}/api/chats/chat/log?after=${history.position}`))
  await log.until(`id: ${upTo}\n`)
  await log.until('"type":"finish","finishReason":"stop","messageMetadata"')
  for (const { data } of sseEventsIn(log.bytes)) {
    const parsed = parseEntry(data ?? '')
    if (parsed.type !== 'entry') throw new Error(`Not an entry: ${data}`)
    expect(parsed.entry.seq).toBe(chat.seq + 1)
    chat = fold(chat, parsed.entry)
  }
  return fromWire(messagesOf(chat))
}
