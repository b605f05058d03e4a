import { currentFrame } from '@throughline/agents'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { loadAnswer, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { eventsIn, ofType, query, queryEvents } from '@throughline/testing/http/query-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { z } from 'zod'

const made = z.object({ session_id: z.string(), created_at: z.iso.datetime() })
const listed = z.object({
  sessions: z.array(
    z.object({ session_id: z.string(), title: z.string(), created_at: z.string(), updated_at: z.string() }),
  ),
})
const fields = { session_id: 'trip', message_id: 'question' }

test('a session is made, asked in, listed, read and deleted', async () => {
  await using server = await startTestServer()
  const response = await sendJson(`${server.url}/sessions`, {})
  expect(response.status).toBe(201)
  const { session_id, created_at } = made.parse(await response.json())
  await queryEvents(await query(server.url, { fields: { session_id, message_id: 'question' } }))

  const [session] = await sessionsOf(server.url)
  expect(session).toMatchObject({ session_id, created_at, title: 'How is the weather?' })
  const answer = await loadAnswer(server.url, session_id)
  expect(await read(server.url, session_id)).toEqual({
    ...session,
    messages: [
      {
        id: 'question',
        role: 'user',
        content: 'How is the weather?',
        created_at: expect.any(String),
      },
      {
        id: answer.id,
        role: 'assistant',
        content: 'Let me look. \n\nThe sky is clear.',
        created_at: answer.metadata?.createdAt,
        status: 'finished',
      },
    ],
  })

  const deleted = await fetch(`${server.url}/sessions/${session_id}`, { method: 'DELETE' })
  expect(await deleted.json()).toEqual({ session_id, deleted: true })
  expect(await sessionsOf(server.url)).toEqual([])
  const gone = await fetch(`${server.url}/sessions/${session_id}`)
  expect(await problemOf(gone)).toMatchObject({ status: 404, code: 'session-not-found' })
})

test('a session can have an id and a title of one’s own, and making it again changes nothing', async () => {
  await using server = await startTestServer()
  const body = { session_id: 'trip', title: 'Plans' }
  const first = made.parse(await (await sendJson(`${server.url}/sessions`, body)).json())
  expect(first.session_id).toBe('trip')
  const again = await sendJson(`${server.url}/sessions`, { ...body, title: 'Other plans' })
  expect(await again.json()).toEqual(first)
  expect(await sessionsOf(server.url)).toMatchObject([{ session_id: 'trip', title: 'Plans' }])
})

test('a session shows what its people and its master say, an unfinished answer as far as it has come', async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[saying('Helped.')]],
  })
  await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
  await queryEvents(await query(server.url, { fields }))
  expect(await read(server.url, 'trip')).toMatchObject({ messages: [{ role: 'user' }, { content: 'Done.' }] })

  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  await using slow = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await query(slow.url, { fields }))
  await stream.until('Wait')
  expect(await read(slow.url, 'trip')).toMatchObject({
    messages: [{ role: 'user' }, { content: 'Wait', status: 'streaming' }],
  })
})

test('a cleared session has forgotten everything but its id, and can be asked in again', async () => {
  const said: string[] = []
  const agent = scriptedAgent('assistant', async function* ({ messages }) {
    said.push(await currentFrame().run.keepFile({ mediaType: 'image/png', bytes: pictureBytes }))
    yield say(`${messages.length}`)
    yield finish
  })
  await using server = await startTestServer({ agents: [agent] })
  await queryEvents(await query(server.url, { fields: { ...fields, message: 'The harbour password' } }))
  const [before] = await sessionsOf(server.url)
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/trip/log`))
  const position = /^id: (.+)$/m.exec((await log.until('"type":"finish"')).toString())?.[1] ?? ''

  const cleared = await sendJson(`${server.url}/sessions/trip/clear`, {})
  expect(await cleared.json()).toEqual({ session_id: 'trip', cleared: true })
  expect(await read(server.url, 'trip')).toMatchObject({
    session_id: 'trip',
    title: '',
    created_at: before?.created_at,
    messages: [],
  })
  expect((await fetch(server.url + said[0])).status).toBe(404)
  // Who knows the log from before must load it anew.
  const headers = { 'last-event-id': position }
  await using old = new SseBytes(await fetch(`${server.url}/api/chats/trip/log`, { headers }))
  expect((await old.rest()).toString()).toMatch(/^retry: 1000\n\nevent: reset\n/)

  // Also under an id that was used before.
  const events = await queryEvents(await query(server.url, { fields }))
  expect(ofType(events, 'final')).toMatchObject([{ content: '1' }])
  expect(await sessionsOf(server.url)).toMatchObject([{ title: 'How is the weather?' }])
  expect(await read(server.url, 'trip')).toMatchObject({ messages: [{ id: 'question' }, { content: '1' }] })
})

test.each([
  ['clearing', '/clear', 'POST'],
  ['deleting', '', 'DELETE'],
])('%s a session stops its answer first', async (_, path, method) => {
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await query(server.url, { fields }))
  await stream.until('Wait')
  expect((await sendJson(`${server.url}/sessions/trip${path}`, {}, { method })).status).toBe(200)
  expect(await server.store.runs.unfinished()).toEqual([])
  const events = eventsIn((await stream.rest()).toString())
  expect(ofType(events, 'final')).toMatchObject([{ content: 'Wait', status: 'stopped' }])
})

test('a session that is not there, or is another’s, is not found', async () => {
  const tokens = new Map(['ada', 'bob'].map(name => [`token-of-${name}`, ownerIdOf(name)]))
  await using server = await startTestServer({ tokens })
  const headersOf = (name: string) => ({ authorization: `Bearer token-of-${name}` })
  await (await query(server.url, { fields, headers: headersOf('ada') })).text()
  const headers = headersOf('bob')
  const url = `${server.url}/sessions/trip`
  const asked = [
    await fetch(url, { headers }),
    await fetch(url, { method: 'DELETE', headers }),
    await sendJson(`${url}/clear`, {}, { headers }),
  ]
  for (const response of asked) {
    expect(await problemOf(response)).toMatchObject({ status: 404, code: 'session-not-found' })
  }
  const list = await fetch(`${server.url}/sessions`, { headers })
  expect(await list.json()).toEqual({ sessions: [] })
  const ofAda = await fetch(url, { headers: headersOf('ada') })
  expect(await ofAda.json()).toMatchObject({ messages: [{ id: 'question' }, { status: 'finished' }] })
})

test('a bad request about sessions is refused with a problem', async () => {
  await using server = await startTestServer()
  const url = `${server.url}/sessions`
  const problems = [
    await sendJson(url, { session_id: 'a b' }),
    await sendJson(url, { title: 7 }),
    await fetch(`${url}/a%20b`),
    await sendJson(`${url}/a%20b/clear`, {}),
    await fetch(`${url}/a%20b`, { method: 'DELETE' }),
  ]
  for (const response of problems) expect((await problemOf(response)).status).toBe(400)
})

async function sessionsOf(url: string): Promise<z.infer<typeof listed>['sessions']> {
  return listed.parse(await (await fetch(`${url}/sessions`)).json()).sessions
}

async function read(url: string, id: string): Promise<unknown> {
  return (await fetch(`${url}/sessions/${id}`)).json()
}
