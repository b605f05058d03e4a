import { connect } from 'node:net'
import type { Store } from '@throughline/store/testing'
import {
  finish,
  heldAgent,
  say,
  scriptedAgent,
  textToolText,
} from '@throughline/testing/agent/scripted-agent'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadChat, stop, userMessage } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { describe, expect, test, vi } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'
import { logBytes, runBytes } from './log-bytes.ts'
import { type Host, type HostOptions, type Serve, startHost } from './start-host.ts'
import { WatchedLog } from './watched-log.ts'

type Start = (options?: HostOptions) => Promise<Host>

/** Registers the tests that Throughline must pass below `/ai` in every server: the same bytes as the log has. */
export function hostSuite(name: string, serve: Serve): void {
  const start: Start = options => startHost(serve, options)
  describe(`below /ai in ${name}`, () => {
    answerTests(start)
    viewerTests(start)

    test('what is not below /ai belongs to the application', async () => {
      await using host = await start()
      const outside = await fetch(`${host.origin}/`)
      if (name === 'startServer') expect(outside.status).toBe(404)
      else expect(await outside.text()).toBe('own page')
      const missing = await fetch(`${host.url}/nothing`)
      expect(missing.headers.get('content-type')).toBe('application/problem+json')
      expect(await missing.json()).toMatchObject({ status: 404, code: 'route-not-found' })
      expect(await (await fetch(`${host.url}/health`)).json()).toEqual({ status: 'ok' })
    })
  })
}

function answerTests(start: Start): void {
  test('a message is answered with the bytes of the log', async () => {
    await using host = await start()
    const response = await ask(host.url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    })
    expect(await response.text()).toBe(await runBytes(host.store))
    await using log = new SseBytes(await fetch(`${host.url}/api/chats/chat/log`))
    const expected = await logBytes(host.store)
    while (log.bytes.length < Buffer.byteLength(expected)) await log.more()
    expect(log.bytes.toString()).toBe(expected)
  })

  test('an answer goes on after the last event that was seen', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using host = await start({ agents: [agent] })
    const cut = new SseBytes(await ask(host.url))
    await cut.until('The sky')
    await cut[Symbol.asyncDispose]()
    const seen = sseEventsIn(cut.bytes).filter(({ id }) => id !== undefined)
    const last = seen.at(-1)?.id ?? ''
    const response = await fetch(`${host.url}/api/chat/chat/stream`, { headers: { 'last-event-id': last } })
    letGo()
    const rest = await response.text()
    expect(rest).toBe(await runBytes(host.store, last))
    const whole = Buffer.concat([...seen.map(({ bytes }) => bytes), withoutRetry(Buffer.from(rest))])
    expect(whole.toString()).toBe(await runEvents(host.store))
  })

  test('an answer is stopped, and its stream ends with the log', async () => {
    const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
    await using host = await start({ agents: [agent] })
    await using stream = new SseBytes(await ask(host.url))
    await stream.until('I begin.')
    expect(await (await stop(host.url)).json()).toEqual({ result: expect.stringMatching(/^stopp(ed|ing)$/) })
    const bytes = (await stream.rest()).toString()
    expect(bytes).toContain('"type":"abort"')
    expect(bytes).toBe(await runBytes(host.store))
  })

  test('a call waits for approval, and goes on after the decision', async () => {
    const { serverOptions, removed } = asksApproval()
    await using host = await start(serverOptions)
    await using stream = new SseBytes(await ask(host.url, { form: '?approvals=wait' }))
    await stream.until('"approvalId":')
    expect(removed).toEqual([])
    await decide(host.url, approvalIn(stream.bytes), { approved: true })
    expect((await stream.rest()).toString()).toBe(await runBytes(host.store))
    expect(removed).toEqual(['all'])
  })
}

function viewerTests(start: Start): void {
  test('two viewers see the same bytes', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using host = await start({ agents: [agent] })
    await using first = new SseBytes(await ask(host.url))
    await first.until('The sky')
    await using second = new SseBytes(await fetch(`${host.url}/api/chat/chat/stream`))
    await second.until('The sky')
    letGo()
    expect((await second.rest()).toString()).toBe((await first.rest()).toString())
    expect(first.bytes.toString()).toBe(await runBytes(host.store))
  })

  test('a viewer who does not read is not read for, is cut off, and gets everything when it comes back', async () => {
    const pieces = 2_000
    const agent = scriptedAgent('assistant', [
      ...Array.from({ length: pieces }, () => say('x'.repeat(8_192))),
      finish,
    ])
    // Some frameworks print the error of a body that was cut off.
    using printed = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const log = new WatchedLog()
    await using host = await start({
      agents: [agent],
      system: agentSystem({ limits: { maxOutputBytes: 64 * 1024 * 1024 } }),
      maxStallMs: 300,
      wrapStore: log.wrapStore,
    })
    const viewer = sleepingViewer(host.origin)
    await log.untilReaders(1)
    await log.untilReaders(0)
    expect(log.lastRead).toBeLessThan(pieces)
    viewer.destroy()

    while ((await host.store.runs.unfinished()).length > 0)
      await new Promise(resolve => setImmediate(resolve))
    expect(await readOverCuts(host.url)).toBe(await runEvents(host.store))
    for (const line of printed.mock.calls.flat()) expect(String(line)).toContain('The stream was cut off.')
  })

  test('a client that goes is let go, and its answer is written to the end', async () => {
    using printed = vi.spyOn(console, 'error')
    const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')], after: [say('I end.')] })
    const log = new WatchedLog()
    await using host = await start({ agents: [agent], wrapStore: log.wrapStore })
    const client = new SseBytes(await ask(host.url))
    await client.until('I begin.')
    expect(log.readers).toBe(1)
    await client[Symbol.asyncDispose]()
    await log.untilReaders(0)
    letGo()
    expect(await (await ask(host.url)).text()).toBe(await runBytes(host.store))
    expect((await loadChat(host.url)).messages[1]).toMatchObject({ metadata: { status: 'finished' } })
    expect(printed).not.toHaveBeenCalled()
  })
}

/** The bytes of all events of the run, without what comes before the first one. */
async function runEvents(store: Store): Promise<string> {
  return withoutRetry(Buffer.from(await runBytes(store))).toString()
}

/** Reads the answer to its end. Goes on after the last event that was seen when the stream is cut. */
async function readOverCuts(url: string): Promise<string> {
  const seen: Buffer[] = []
  for (let last: string | undefined; ; ) {
    const headers = { 'last-event-id': last ?? '' }
    const response = last === undefined ? ask(url) : fetch(`${url}/api/chat/chat/stream`, { headers })
    await using stream = new SseBytes(await response)
    const isWhole = await stream.rest().then(
      () => true,
      () => false,
    )
    const complete = sseEventsIn(stream.bytes).filter(({ data }) => data !== undefined)
    seen.push(...complete.map(({ bytes }) => bytes))
    if (isWhole) return Buffer.concat(seen).toString()
    last = complete.findLast(({ id }) => id !== undefined)?.id ?? last
  }
}

/** Asks for an answer, and never reads it. */
function sleepingViewer(origin: string) {
  const body = JSON.stringify({ id: 'chat', messages: [userMessage()] })
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  socket.write(
    `POST /ai/api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}
