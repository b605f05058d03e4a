import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { eventsIn, ofType, query, queryEvents, timeless } from '@throughline/testing/http/query-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { approvalServer, type WaitingOptions } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'

const inSession = { session_id: 'trip', message_id: 'question', message: 'Remove it.' }

describe.each(['query-stream-delta', 'query-stream'] as const)('the events of /agent/%s', path => {
  test('tell of a call that waits, and of the decision', async () => {
    await using fixture = await startServer()
    await using stream = new SseBytes(await query(fixture.url, { path, fields: inSession }))
    const { approvalId } = await requestOn(stream)
    const decided = await decide(fixture.url, approvalId, { approved: true })
    expect(await decided.json()).toEqual({ session_id: 'trip', approval_id: approvalId, approved: true })
    const events = eventsIn((await stream.rest()).toString())
    const call = { tool: 'remove', args: { what: 'all' }, tool_call_id: 'call-remove', display_name: '' }
    expect(timeless(events.filter(({ type }) => /^(tool|approval)_/.test(type)))).toEqual([
      { type: 'tool_call', ...call },
      { type: 'approval_request', approval_id: approvalId, ...call },
      {
        type: 'approval_response',
        approval_id: approvalId,
        tool_call_id: 'call-remove',
        approved: true,
        reason: null,
      },
      expect.objectContaining({ type: 'tool_result', result: '{"removed":"all"}', is_error: false }),
    ])
    expect(fixture.removed).toEqual(['all'])
    const again = await queryEvents(await query(fixture.url, { path, fields: inSession }))
    expect(again).toEqual(events)
  })

  test('tell of a denial, with its reason', async () => {
    await using fixture = await startServer()
    await using stream = new SseBytes(await query(fixture.url, { path, fields: inSession }))
    const { approvalId } = await requestOn(stream)
    await decide(fixture.url, approvalId, { approved: false, reason: 'Too risky' })
    const events = eventsIn((await stream.rest()).toString())
    expect(ofType(events, 'approval_response')).toMatchObject([{ approved: false, reason: 'Too risky' }])
    expect(ofType(events, 'tool_result')).toMatchObject([
      { is_error: true, result: 'Not allowed: Too risky' },
    ])
    expect(fixture.removed).toEqual([])
  })

  test('tell of a sub-agent’s call, with its name', async () => {
    await using fixture = await startServer({
      model: scriptedModel({
        master: [[asking('worker')], [saying('Done.')]],
        worker: [[calling('remove', { what: 'all' })], [saying('Worked.')]],
      }),
      subAgents: [subAgent('worker', { tools: ['remove'] })],
    })
    await using stream = new SseBytes(await query(fixture.url, { path, fields: inSession }))
    const { approvalId, text } = await requestOn(stream)
    expect(text).toContain('"display_name":"The worker: remove"')
    expect((await decide(fixture.url, approvalId, { approved: true })).status).toBe(200)
    await stream.rest()
    expect(fixture.removed).toEqual(['all'])
  })

  test('tell that nobody decided in time', async () => {
    await using fixture = await startServer({ limits: { maxApprovalMs: 20 } })
    const events = await queryEvents(await query(fixture.url, { path, fields: inSession }))
    expect(ofType(events, 'approval_request')).toHaveLength(1)
    expect(ofType(events, 'approval_response')).toMatchObject([
      { approved: false, reason: 'Nobody decided in time.' },
    ])
  })
})

describe('POST /sessions/:id/approvals/:approvalId', () => {
  test('counts once', async () => {
    await using fixture = await startServer()
    await using stream = new SseBytes(await query(fixture.url, { fields: inSession }))
    const { approvalId } = await requestOn(stream)
    const answers = await Promise.all(
      [true, false].map(approved => decide(fixture.url, approvalId, { approved })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    await stream.rest()
    const late = await problemOf(await decide(fixture.url, approvalId, { approved: true }))
    expect(late).toMatchObject({ status: 409, code: 'approval-not-waiting' })
  })

  test('is for the session of the call alone, and only for its owner', async () => {
    const tokens = new Map([
      ['a-token', ownerIdOf('ada')],
      ['b-token', ownerIdOf('bob')],
    ])
    await using fixture = await startServer({ tokens })
    const ada = { authorization: 'Bearer a-token' }
    const bob = { authorization: 'Bearer b-token' }
    await using stream = new SseBytes(await query(fixture.url, { fields: inSession, headers: ada }))
    const { approvalId } = await requestOn(stream)
    const yes = { approved: true }
    for (const [session, headers] of [
      ['trip', bob],
      ['other', ada],
      ['other', bob],
    ] as const) {
      const refused = await decide(fixture.url, approvalId, yes, { session, headers })
      expect(await problemOf(refused)).toMatchObject({ status: 404, code: 'approval-not-found' })
    }
    const unknown = await decide(fixture.url, 'approval_none', yes, { headers: ada })
    expect(await problemOf(unknown)).toMatchObject({ status: 404, code: 'approval-not-found' })
    expect(fixture.removed).toEqual([])
    expect((await decide(fixture.url, approvalId, yes, { headers: ada })).status).toBe(200)
    await stream.rest()
    expect(fixture.removed).toEqual(['all'])
  })

  test('needs a decision', async () => {
    await using fixture = await startServer()
    await using stream = new SseBytes(await query(fixture.url, { fields: inSession }))
    const { approvalId } = await requestOn(stream)
    const refused = await decide(fixture.url, approvalId, { approved: 'yes' })
    expect(await problemOf(refused)).toMatchObject({ status: 400, code: 'invalid-body' })
    expect((await loadAnswer(fixture.url, 'trip')).metadata?.status).toBe('streaming')
  })
})

describe('POST /agent/query', () => {
  test('answers that it waits, and for what, and has the rest when it is asked again', async () => {
    await using fixture = await startServer({
      model: scriptedModel({
        master: [[saying('I remove.'), calling('remove', { what: 'all' })], [saying('Done.')]],
      }),
    })
    const waiting = await query(fixture.url, { path: 'query', fields: inSession })
    expect(waiting.status).toBe(202)
    const body = await waiting.json()
    expect(body).toMatchObject({
      session_id: 'trip',
      message_id: 'question',
      status: 'waiting',
      content: 'I remove.',
      approvals: [
        {
          approval_id: expect.stringMatching(/^approval_/),
          tool: 'remove',
          args: { what: 'all' },
          tool_call_id: 'call-remove',
          display_name: '',
        },
      ],
    })
    expect(body).not.toHaveProperty('usage')
    expect((await query(fixture.url, { path: 'query', fields: inSession })).status).toBe(202)
    await decide(fixture.url, body.approvals[0].approval_id, { approved: false, reason: 'Not today' })
    const ended = await query(fixture.url, { path: 'query', fields: inSession })
    expect(ended.status).toBe(200)
    expect(await ended.json()).toMatchObject({ status: 'finished', content: 'I remove.\n\nDone.' })
    expect(toolResultsOf(fixture.model, 'master')).toContain('Not today')
    expect(fixture.model.doStreamCalls).toHaveLength(2)
  })

  test('waits with it when it is told to', async () => {
    await using fixture = await startServer()
    const answered = sendJson(`${fixture.url}/agent/query?approvals=wait`, inSession)
    await using stream = new SseBytes(await ask(fixture.url, askAgain))
    await stream.until('"type":"tool-approval-request"')
    const [, id = ''] = /"approvalId":"([^"]+)"/.exec(stream.bytes.toString()) ?? []
    await decide(fixture.url, id, { approved: true })
    expect(await (await answered).json()).toMatchObject({ status: 'finished', content: 'Done.' })
  })
})

/** The same question, on the stream that stock clients read. */
const askAgain = {
  chatId: 'trip',
  messageId: 'question',
  text: 'Remove it.',
  form: '?approvals=wait',
}

async function startServer(options: WaitingOptions = {}) {
  const fixture = await approvalServer(options)
  return { ...fixture, [Symbol.asyncDispose]: () => fixture.server[Symbol.asyncDispose]() }
}

async function requestOn(stream: SseBytes): Promise<{ readonly approvalId: string; readonly text: string }> {
  await stream.until('"approval_request"')
  const [text, approvalId = ''] = /\{[^\n]*"approval_id":"([^"]+)"[^\n]*/.exec(stream.bytes.toString()) ?? [
    '',
  ]
  return { approvalId, text }
}

function decide(
  url: string,
  approvalId: string,
  decision: object,
  { session = 'trip', headers = {} }: { session?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return sendJson(`${url}/sessions/${session}/approvals/${approvalId}`, decision, { headers })
}
