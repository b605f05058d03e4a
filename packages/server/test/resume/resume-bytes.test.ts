import { setTimeout } from 'node:timers/promises'
import type { AgentEvent } from '@throughline/agents'
import { formatPosition, parsePosition } from '@throughline/protocol'
import {
  finish,
  say,
  scriptedAgent,
  textToolText,
  weatherCall,
} from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { expectWholeAfterAnyCut, resumeEverywhere } from './cut-anywhere.ts'

const calls = ['north', 'south', 'west'].map(weatherCall)

const parallelTools: readonly AgentEvent[] = [
  { type: 'step-start' },
  { type: 'reasoning-delta', text: 'Three places, so ' },
  { type: 'reasoning-delta', text: 'three calls.' },
  ...calls.map((call): AgentEvent => ({ type: 'tool-call', ...call })),
  { type: 'ui-event', data: { open: 'map' } },
  { type: 'tool-progress', ...weatherCall('south'), output: 'half' },
  ...calls.toReversed().map((call): AgentEvent => ({ type: 'tool-result', ...call, output: ['clear', 21] })),
  { type: 'step-end' },
  say('All clear.'),
  finish,
]

const longText: readonly AgentEvent[] = [
  ...Array.from({ length: 60 }, (_, index) => say(`第${index}行：海上生明月，天涯共此时。🌊👩‍🚀\u2028\r\n`)),
  // Half a character at the end of one delta, the other half at the beginning of the next.
  say('\ud83c'),
  say('\udf0a"\\data: [DONE]\n\nid: 1\n\n'),
  finish,
]

/** Slowly, so that the log takes the text in many pieces. */
async function* written(events: readonly AgentEvent[]) {
  for (const event of events) {
    yield event
    await setTimeout(1)
  }
}

const runs = [
  ['text, tool, text', textToolText],
  ['parallel tools and reasoning', parallelTools],
  ['long text of many kinds of characters', longText],
] as const

describe.each(runs)('a run of %s', (_, events) => {
  test('cut after any byte and resumed, is the uninterrupted stream', async () => {
    await using server = await startTestServer({
      agents: [scriptedAgent('assistant', () => written(events))],
    })
    const whole = await eventsOf(await ask(server.url))
    expectWholeAfterAnyCut(whole, await resumeRunEverywhere(server, whole))
  })

  test('followed in the log, cut after any byte and resumed, is the uninterrupted log', async () => {
    await using server = await startTestServer({
      agents: [scriptedAgent('assistant', () => written(events))],
    })
    await (await ask(server.url)).arrayBuffer()
    const { position } = await loadChat(server.url)
    const start = position.replace(/\d+$/, '0')
    const whole = await readLog(server, start, position)
    const resumed = await resumeEverywhere(whole, (id = start) => readLog(server, id, position))
    expectWholeAfterAnyCut(whole, resumed)
  })

  test('resumed while it goes on, from anywhere, is the uninterrupted stream', async () => {
    const held = Promise.withResolvers<void>()
    const half = Math.floor(events.length / 2)
    const agent = scriptedAgent('assistant', async function* () {
      yield* written(events.slice(0, half))
      // An event that closes what is open, so that everything before it is on the stream.
      yield { type: 'response-done' }
      yield { type: 'ui-event', data: 'half' }
      await held.promise
      yield* written(events.slice(half))
    })
    await using server = await startTestServer({ agents: [agent] })
    await using first = new SseBytes(await ask(server.url))
    const ids = sseEventsIn(await first.until('"half"')).flatMap(({ id }) => id ?? [])
    const start = beginningOf(first.bytes)
    const viewers = await Promise.all([start, ...ids].map(id => openRun(server, id)))
    // Each has come as far as it can before the run goes on.
    for (const [index, viewer] of viewers.entries()) if (index < ids.length) await viewer.until('"half"')
    held.resolve()
    const whole = withoutRetry(await first.rest())
    for (const [index, viewer] of viewers.entries()) {
      const seen = sseEventsIn(whole)
        .slice(0, index)
        .map(({ bytes }) => bytes)
      expect(Buffer.concat([...seen, withoutRetry(await viewer.rest())]).toString()).toBe(whole.toString())
    }
  })
})

test('the second run of a chat is resumed like the first', async () => {
  await using server = await startTestServer()
  const first = await eventsOf(await ask(server.url))
  const second = await eventsOf(await ask(server.url, { messageId: 'second' }))
  for (const whole of [first, second]) {
    expectWholeAfterAnyCut(whole, await resumeRunEverywhere(server, whole))
  }
})

test('a run that has ended is not there to be resumed without a position', async () => {
  await using server = await startTestServer()
  await (await ask(server.url)).arrayBuffer()
  expect((await fetch(`${server.url}/api/chat/chat/stream`)).status).toBe(204)
})

function resumeRunEverywhere(server: TestServer, whole: Buffer): Promise<readonly Buffer[]> {
  return resumeEverywhere(whole, (id = beginningOf(whole)) => resumeRun(server, id))
}

async function resumeRun(server: TestServer, id: string): Promise<Buffer> {
  const response = await requestRun(server, id)
  expect(response.status).toBe(200)
  return eventsOf(response)
}

/** The bytes of all events of a stream. What stands before the first event belongs to the connection. */
async function eventsOf(response: Response): Promise<Buffer> {
  return withoutRetry(Buffer.from(await response.arrayBuffer()))
}

async function openRun(server: TestServer, id: string): Promise<SseBytes> {
  return new SseBytes(await requestRun(server, id))
}

function requestRun({ url }: TestServer, id: string): Promise<Response> {
  return fetch(`${url}/api/chat/chat/stream`, { headers: { 'last-event-id': id } })
}

/** Where a run begins: at the user's message, which no chunk stream shows. */
function beginningOf(whole: Buffer): string {
  const first = parsePosition(sseEventsIn(whole)[0]?.id ?? '')
  if (first === undefined) throw new TypeError('The stream has no position.')
  return formatPosition({ ...first, seq: first.seq - 1 })
}

async function readLog({ url }: TestServer, id: string, upTo: string): Promise<Buffer> {
  if (id === upTo) return Buffer.alloc(0)
  await using log = new SseBytes(await fetch(`${url}/api/chats/chat/log?after=${id}`))
  // The last event is there as a whole when a blank line follows its id.
  while (sseEventsIn(log.bytes).at(-1)?.id !== upTo) await log.more()
  return withoutRetry(log.bytes)
}
