import type { AgentEvent } from '@throughline/agents'
import { isRecord } from '@throughline/protocol'
import { heldAgent, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, valuesOf, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const offer = (name: string): AgentEvent => ({ type: 'ui-event', data: { offer: name } })

describe('a UI event', () => {
  test.each([
    ['a resume of the run', (url: string) => fetch(`${url}/api/chat/chat/stream`)],
    [
      'a resume with sub-agents inline',
      (url: string) => fetch(`${url}/api/chat/chat/stream?subAgents=inline`),
    ],
    ['a resume without sub-agents', (url: string) => fetch(`${url}/api/chat/chat/stream?subAgents=hidden`)],
    ['the same question again', (url: string) => ask(url)],
  ])('is not told to who comes after it, while those that follow are: %s', async (_, join) => {
    const { first, late } = await runJoinedBy(join)
    expect(offersIn(first)).toEqual(['early', 'late'])
    expect(offersIn(late)).toEqual(['late'])
    expect(withoutOffers(late)).toEqual(withoutOffers(first))
  })

  test('is not told to an AG-UI client that asks the same again', async () => {
    const message = { id: 'question', role: 'user', content: 'How is the weather?' }
    const body = { threadId: 'chat', runId: 'run', messages: [message], state: {}, tools: [], context: [] }
    const post = (url: string) => sendJson(`${url}/ag-ui`, { ...body, forwardedProps: {} })
    const { first, late } = await runJoinedBy(post, post)
    expect(first.toString()).toContain('early')
    expect(late.toString()).not.toContain('early')
    expect(late.toString()).toContain('"late"')
  })

  test('is told once to who gives a position before it: what they missed is not told again', async () => {
    const { first, late } = await runJoinedBy(async (url, seen) => {
      const [start] = sseEventsIn(seen)
      return fetch(`${url}/api/chat/chat/stream`, { headers: { 'last-event-id': start?.id ?? '' } })
    })
    const [start, ...rest] = sseEventsIn(first)
    expect(start?.data).toContain('"start"')
    expect(withoutRetry(late)).toEqual(Buffer.concat(rest.map(({ bytes }) => bytes)))
  })

  test('of a sub-agent is kept from latecomers as well', async () => {
    const { script, letGo } = heldScript({ before: [offer('early'), say('One.')], after: [offer('late')] })
    const guide = Object.assign(subAgent('guide'), { buildAgent: () => scriptedAgent('guide', script) })
    const model = scriptedModel({ master: [[asking('guide')], [saying('Done.')]] })
    await using server = await startDelegation({ model, subAgents: [guide] })
    const form = '?subAgents=separate'
    await using first = new SseBytes(await ask(server.url, { form }))
    await first.until('One.')
    await using late = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream${form}`))
    await late.until('One.')
    letGo()
    const enveloped = /"data-sub-agent".*"offer":"(\w+)"/g
    const offers = (bytes: Buffer) => Array.from(bytes.toString().matchAll(enveloped), ([, name]) => name)
    expect(offers(await first.rest())).toEqual(['early', 'late'])
    expect(offers(await late.rest())).toEqual(['late'])
  })
})

describe('the log', () => {
  test('read without a position keeps the places of UI events, and not what they told', async () => {
    const { log, position } = await logAfterRun('')
    const entries = valuesOf(log).filter(isRecord)
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
    expect(position).toMatch(new RegExp(`\\.${entries.length}$`))
    const told = entries.map(({ chunk }) => chunk).filter(isUiEvent)
    expect(told).toEqual([
      { type: 'data-ui-event', transient: true },
      { type: 'data-ui-event', transient: true },
    ])
  })

  test('read from a position has them: whoever was there has not seen them yet', async () => {
    const { log } = await logAfterRun('?after=START')
    const chunks = valuesOf(log)
      .filter(isRecord)
      .map(({ chunk }) => chunk)
    expect(chunks.filter(isUiEvent)).toMatchObject([
      { data: { offer: 'early' } },
      { data: { offer: 'late' } },
    ])
  })
})

type Join = (url: string, seen: Buffer) => Promise<Response>

/** What the first viewer of a run sees, and one who joins between two UI events. */
async function runJoinedBy(join: Join, begin: (url: string) => Promise<Response> = ask) {
  const { agent, letGo } = heldAgent('assistant', {
    before: [say('One. '), offer('early'), { type: 'response-done' }, say('Two. ')],
    after: [say('Three. '), offer('late'), say('Four.')],
  })
  await using server = await startTestServer({ agents: [agent] })
  await using first = new SseBytes(await begin(server.url))
  const seen = await first.until('Two. ')
  // Two of them: what is encoded for one viewer must not be given to another who has seen something else.
  await using late = new SseBytes(await join(server.url, seen))
  await using later = new SseBytes(await join(server.url, seen))
  await late.until('Two. ')
  letGo()
  expect(await later.rest()).toEqual(await late.rest())
  return { first: await first.rest(), late: late.bytes }
}

async function logAfterRun(query: string) {
  const { agent, letGo } = heldAgent('assistant', { before: [offer('early'), say('One.'), offer('late')] })
  await using server = await startTestServer({ agents: [agent] })
  letGo()
  await (await ask(server.url)).text()
  const { position } = await loadChat(server.url)
  return {
    position,
    log: await readUpTo(server, query.replace('START', position.replace(/\d+$/, '0')), position),
  }
}

async function readUpTo({ url }: TestServer, query: string, position: string): Promise<Buffer> {
  await using log = new SseBytes(await fetch(`${url}/api/chats/chat/log${query}`))
  return await log.until(`id: ${position}`)
}

function isUiEvent(value: unknown): value is { readonly data: { readonly offer: string } } {
  return isRecord(value) && value['type'] === 'data-ui-event'
}

function offersIn(bytes: Buffer): readonly string[] {
  return valuesOf(bytes)
    .filter(isUiEvent)
    .map(({ data }) => data.offer)
}

function withoutOffers(bytes: Buffer): readonly unknown[] {
  return valuesOf(bytes).filter(value => !isUiEvent(value))
}
