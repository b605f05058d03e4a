import { HttpAgent } from '@ag-ui/client'
import type { Message } from '@ag-ui/core'
import { AgentCapabilitiesSchema } from '@ag-ui/core/schemas'
import { heldAgent, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, valuesOf, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { approvalServer } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'
import { expectWholeAfterAnyCut, resumeEverywhere } from '../resume/cut-anywhere.ts'
import { resumingFetch } from './resuming-fetch.ts'

const question: Message = { id: 'question', role: 'user', content: 'How is the weather?' }

const delegation = () => ({
  model: scriptedModel({
    master: [[saying('I ask.'), asking('helper')], [saying('Done.')]],
    helper: [[saying('I note.'), calling('note', { text: 'x' })], [saying('Noted.')]],
  }),
  subAgents: [subAgent('helper', { tools: ['note'] })],
})

describe('an AG-UI run that is cut after any byte goes on after the last event that was seen', () => {
  test('text and tools', async () => {
    await using server = await startTestServer({ agents: [scriptedAgent('assistant', textToolText)] })
    await expectSameAfterAnyCut({ url: server.url })
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test.each(['separate', 'inline', 'hidden'])('sub-agents that are %s', async form => {
    await using server = await startDelegation(delegation())
    await expectSameAfterAnyCut({ url: server.url, query: `?subAgents=${form}` })
  })

  test('a run that another one of the chat follows', async () => {
    await using server = await startTestServer()
    const whole = await eventsOf(await request({ url: server.url }))
    await eventsOf(await request({ url: server.url, fields: { messages: [{ ...question, id: 'next' }] } }))
    const resumed = await resumeEverywhere(whole, async id =>
      id === undefined ? whole : eventsOf(await request({ url: server.url, lastEventId: id })),
    )
    expectWholeAfterAnyCut(whole, resumed)
  })

  test('another answer, whose first entry becomes two events', async () => {
    await using server = await startTestServer()
    await eventsOf(await request({ url: server.url }))
    const [, answer] = (await loadChat(server.url)).messages
    // The client has something of that answer, so it is told to drop that first.
    const throughline = { trigger: 'regenerate-message', expected_assistant_message_id: 'another' }
    const messages = [question, { id: 'another:text-1', role: 'assistant', content: 'Half' }]
    const asked = { url: server.url, fields: { messages, forwardedProps: { throughline } } }
    const whole = await expectSameAfterAnyCut(asked)
    expect(valuesOf(whole).slice(0, 2)).toMatchObject([
      { type: 'RUN_STARTED' },
      { type: 'MESSAGES_SNAPSHOT' },
    ])
    expect(answer?.id).not.toBe('another')
  })

  test('a run that goes on, joined after every event', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using server = await startTestServer({ agents: [agent] })
    await using first = new SseBytes(await request({ url: server.url }))
    const seen = sseEventsIn(await first.until('The sky'))
    const viewers = await Promise.all(
      seen.map(async ({ id = '' }) => new SseBytes(await request({ url: server.url, lastEventId: id }))),
    )
    letGo()
    const whole = withoutRetry(await first.rest()).toString()
    for (const [index, viewer] of viewers.entries()) {
      const before = Buffer.concat(seen.slice(0, index + 1).map(({ bytes }) => bytes))
      expect(`${before}${withoutRetry(await viewer.rest())}`).toBe(whole)
    }
  })
})

describe('an AG-UI run that waits for an approval', () => {
  const waiting = () => ({
    model: scriptedModel({
      master: [[saying('I ask.'), asking('helper')], [saying('Done.')]],
      helper: [[calling('remove', { what: 'all' })], [saying('Removed.')]],
    }),
    subAgents: [subAgent('helper', { tools: ['remove'] })],
  })

  test('has the rest of its interrupt after any cut, also when somebody has decided since', async () => {
    await using fixture = await startWaiting(waiting())
    const asked = { url: fixture.url }
    const whole = await expectSameAfterAnyCut(asked)
    const types = valuesOf(whole).map(value => Reflect.get(Object(value), 'type'))
    expect(types.slice(-4)).toEqual(['STEP_FINISHED', 'STEP_FINISHED', 'SUBAGENT_FINISHED', 'RUN_FINISHED'])
    const ids = sseEventsIn(whole).flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(types.length)

    await decide(fixture.url, interruptIn(whole), { approved: true })
    await (await fetch(`${fixture.url}/api/chat/chat/stream?approvals=wait`)).text()
    const atWait = sseEventsIn(whole).slice(-4)
    for (const [index, { id }] of atWait.entries()) {
      const rest = await eventsOf(await request({ ...asked, lastEventId: id }))
      expect(rest.toString()).toBe(
        Buffer.concat(atWait.slice(index + 1).map(({ bytes }) => bytes)).toString(),
      )
    }
  })

  test('goes on after any cut when its interrupt is resolved, and does the call once', async () => {
    await using fixture = await startWaiting(waiting())
    const interruptId = interruptIn(await eventsOf(await request({ url: fixture.url })))
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }]
    const whole = await expectSameAfterAnyCut({ url: fixture.url, fields: { runId: 'run-2', resume } })
    expect(valuesOf(whole).slice(0, 2)).toMatchObject([{ type: 'RUN_STARTED' }, { type: 'SUBAGENT_STARTED' }])
    expect(valuesOf(whole).at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(fixture.removed).toEqual(['all'])
  })
})

describe('an id', () => {
  test('may stand in forwardedProps, for a client that cannot send headers', async () => {
    await using server = await startTestServer()
    const whole = await eventsOf(await request({ url: server.url }))
    const [first] = sseEventsIn(whole)
    const forwardedProps = { throughline: { lastEventId: first?.id } }
    const rest = await eventsOf(await request({ url: server.url, fields: { forwardedProps } }))
    expect(`${first?.bytes}${rest}`).toBe(whole.toString())
  })

  test('of the last event brings nothing, and another answer neither', async () => {
    await using server = await startTestServer()
    const lastEventId = sseEventsIn(await eventsOf(await request({ url: server.url }))).at(-1)?.id
    const fields = { runId: 'another run' }
    expect((await eventsOf(await request({ url: server.url, lastEventId, fields }))).length).toBe(0)
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test.each([
    '',
    'nonsense',
    'EPOCH.999',
    'EPOCH.999.1',
    'EPOCH.2.w1',
    'EPOCH.999.w1',
    'EPOCH.2.w0',
    'other.1',
  ])('that no event has is refused, and begins nothing: %j', async text => {
    await using server = await startTestServer()
    const [first] = sseEventsIn(await eventsOf(await request({ url: server.url })))
    const lastEventId = text.replace('EPOCH', first?.id?.split('.')[0] ?? '')
    const messages = [{ ...question, id: 'new' }]
    const refused = await request({ url: server.url, lastEventId, fields: { messages } })
    expect(await problemOf(refused)).toMatchObject({ status: 410, code: 'position-unknown' })
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('is none of another owner’s chat', async () => {
    const tokens = new Map(['ada', 'bob'].map(owner => [`token-of-${owner}`, ownerIdOf(owner)]))
    await using server = await startTestServer({ tokens })
    const by = (owner: string) => ({ authorization: `Bearer token-of-${owner}` })
    const [first] = sseEventsIn(await eventsOf(await request({ url: server.url, headers: by('ada') })))
    const asked = { url: server.url, lastEventId: first?.id, headers: by('bob') }
    expect(await problemOf(await request(asked))).toMatchObject({ status: 404, code: 'chat-not-found' })
  })
})

describe('AG-UI’s own client', () => {
  test('shows everything once when its fetch comes back with the last id, however often it is cut', async () => {
    await using server = await startDelegation(delegation())
    const plain = await shownBy(server.url, fetch)
    let requests = 0
    const cut = cutting({
      after: 1,
      brokenAs: () => new TypeError('terminated'),
      onRequest: () => {
        requests += 1
      },
    })
    const shown = await shownBy(server.url, resumingFetch(0, cut))
    expect(shown).toEqual(plain)
    expect(requests).toBeGreaterThan(10)
    expect((await loadChat(server.url)).messages).toHaveLength(3)
  })

  test('does not come back by itself: it keeps what it has, and its run fails', async () => {
    await using server = await startTestServer({ agents: [scriptedAgent('assistant', textToolText)] })
    let requests = 0
    const broken = cutting({
      after: 5,
      // Of any other error the client makes a rejection that nobody can handle.
      brokenAs: () => new DOMException('The connection broke.', 'AbortError'),
      onRequest: () => {
        requests += 1
      },
    })
    const agent = agentOn(server.url, broken)
    await agent.runAgent().catch(() => undefined)
    expect(requests).toBe(1)
    expect(agent.messages.length).toBeGreaterThan(1)
    // It has no id to send: `runAgent` asks for the whole answer again, and is told to drop what it has.
    const again = agentOn(server.url, fetch)
    again.setMessages(agent.messages)
    await again.runAgent()
    const fresh = agentOn(server.url, fetch)
    await fresh.runAgent()
    expect(again.messages.map(({ content }) => content)).toEqual(fresh.messages.map(({ content }) => content))
  })
})

test('the capabilities say that streams are resumable, in the form that AG-UI has for it', async () => {
  await using server = await startTestServer()
  const capabilities: unknown = await (await fetch(`${server.url}/ag-ui/capabilities`)).json()
  expect(AgentCapabilitiesSchema.parse(capabilities)).toMatchObject({
    transport: { streaming: true, resumable: true },
    humanInTheLoop: { interrupts: true, approveWithEdits: false },
  })
})

interface Asked {
  readonly url: string
  readonly query?: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly lastEventId?: string | undefined
}

function request({ url, query = '', fields, headers = {}, lastEventId }: Asked): Promise<Response> {
  const body = { threadId: 'chat', runId: 'run-1', protocolVersion: '1.0', messages: [question], ...fields }
  const seen = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  return sendJson(`${url}/ag-ui${query}`, body, { headers: { ...headers, ...seen } })
}

async function eventsOf(response: Response): Promise<Buffer> {
  expect(response.status).toBe(200)
  return withoutRetry(Buffer.from(await response.arrayBuffer()))
}

/** Cuts the stream of a request everywhere, and sends the same request with the last id. Returns the whole stream. */
async function expectSameAfterAnyCut(asked: Asked): Promise<Buffer> {
  const whole = await eventsOf(await request(asked))
  expect(sseEventsIn(whole).filter(({ id }) => id === undefined)).toEqual([])
  const resumed = await resumeEverywhere(whole, async lastEventId =>
    eventsOf(await request({ ...asked, lastEventId })),
  )
  expectWholeAfterAnyCut(whole, resumed)
  return whole
}

async function startWaiting(options: Parameters<typeof approvalServer>[0]) {
  const { server, url, removed } = await approvalServer(options)
  return { url, removed, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function interruptIn(whole: Buffer): string {
  const [, id = ''] = /"interrupts":\[\{"id":"([^"]+)"/.exec(whole.toString()) ?? []
  return id
}

function agentOn(url: string, fetcher: typeof fetch): HttpAgent {
  return new HttpAgent({ url: `${url}/ag-ui`, threadId: 'chat', initialMessages: [question], fetch: fetcher })
}

async function shownBy(url: string, fetcher: typeof fetch): Promise<unknown> {
  const agent = agentOn(url, fetcher)
  const events: string[] = []
  await agent.runAgent({ runId: 'run-1' }, { onEvent: ({ event }) => void events.push(event.type) })
  return { messages: agent.messages, events }
}

interface Cutting {
  /** The events that each body has whole. In the middle of the next one it breaks off. */
  readonly after: number
  readonly brokenAs: () => Error
  readonly onRequest: () => void
}

/** A `fetch` whose bodies break off. */
function cutting({ after: count, brokenAs, onRequest }: Cutting): typeof fetch {
  return async (url, init) => {
    onRequest()
    const response = await fetch(url, init)
    const bytes = Buffer.from(await response.arrayBuffer())
    const sseEvents = sseEventsIn(bytes)
    if (sseEvents.length <= count) return new Response(bytes, response)
    const kept = sseEvents.slice(0, count).map(event => event.bytes)
    const half = sseEvents[count]?.bytes.subarray(0, 20) ?? Buffer.alloc(0)
    const pieces = [Buffer.concat([...kept, half])]
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const piece = pieces.shift()
        if (piece === undefined) controller.error(brokenAs())
        else controller.enqueue(Uint8Array.from(piece))
      },
    })
    return new Response(body, response)
  }
}
