import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { eventsIn, ofType, query, queryEvents } from '@throughline/testing/http/query-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

function countingAgent() {
  let count = 0
  return scriptedAgent('assistant', function* ({ messages }) {
    count += 1
    yield say(`Answer ${count} of ${messages.length} messages.`)
    yield finish
  })
}

test('a question without a session makes one, and the next one in it knows what was said', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  const first = await query(server.url, { fields: { session_id: null } })
  const sessionId = first.headers.get('x-session-id')
  expect(ofType(await queryEvents(first), 'usage')[0]?.session_id).toBe(sessionId)
  const second = await query(server.url, { fields: { session_id: sessionId } })
  expect(second.headers.get('x-session-id')).toBe(sessionId)
  expect(ofType(await queryEvents(second), 'final')[0]?.content).toBe('Answer 2 of 3 messages.')
  const other = await query(server.url)
  expect(other.headers.get('x-session-id')).not.toBe(sessionId)
  await other.text()
})

test('a session is a chat, made by its first question', async () => {
  await using server = await startTestServer()
  const response = await query(server.url, { path: 'query', fields: { session_id: 'unused' } })
  expect(await response.json()).toMatchObject({ session_id: 'unused', status: 'finished' })
  expect(response.headers.get('x-session-id')).toBe('unused')
  expect((await loadChat(server.url, 'unused')).messages).toMatchObject([
    { role: 'user', parts: [{ text: 'How is the weather?' }] },
    { role: 'assistant' },
  ])
})

const same = { session_id: 'trip', message_id: 'question' }

test('the same question again is answered by the same run, to the byte, also after its end', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')], after: [say(' for it')] })
  await using server = await startTestServer({ agents: [agent] })
  await using first = new SseBytes(await query(server.url, { fields: same }))
  await first.until('Wait')
  const again = await query(server.url, { fields: same })
  expect(again.headers.get('x-message-id')).toBe('question')
  const piece = query(server.url, { path: 'query', fields: same })
  letGo()
  const body = (await first.rest()).toString()
  expect(ofType(eventsIn(body), 'final')).toMatchObject([{ content: 'Wait for it' }])
  expect(await again.text()).toBe(body)
  expect(await (await query(server.url, { fields: same })).text()).toBe(body)
  expect(await (await piece).json()).toMatchObject({ content: 'Wait for it' })
  expect((await loadChat(server.url, 'trip')).messages).toHaveLength(2)
})

test('a retry can use the ids that the server gave', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  const first = await query(server.url)
  const fields = {
    session_id: first.headers.get('x-session-id'),
    message_id: first.headers.get('x-message-id'),
  }
  const body = await first.text()
  expect(body).toContain('Answer 1')
  expect(await (await query(server.url, { fields })).text()).toBe(body)
})

test('who names the answer it has begun to read gets that answer, and never a new one', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  const first = await query(server.url, { fields: same })
  const begun = { ...same, answer_id: first.headers.get('x-answer-id') }
  const body = await first.text()
  expect(await (await query(server.url, { fields: begun })).text()).toBe(body)
  expect(await (await query(server.url, { path: 'query', fields: begun })).json()).toMatchObject({
    answer_id: begun.answer_id,
    content: 'Answer 1 of 1 messages.',
  })

  await sendJson(`${server.url}/sessions/trip/clear`, {})
  const gone = [begun, { ...begun, session_id: 'other' }, { ...begun, answer_id: 'question' }]
  for (const fields of gone)
    expect(await problemOf(await query(server.url, { fields }))).toMatchObject({
      status: 404,
      code: 'answer-not-found',
    })
  expect((await loadChat(server.url, 'trip')).messages).toEqual([])
})

test.each([
  ['of another message', { message_id: 'another' }, 'answer-not-found'],
  ['of no session', { session_id: null }, 'invalid-id'],
])('an answer %s is refused', async (_, fields, code) => {
  await using server = await startTestServer()
  const first = await query(server.url, { fields: same })
  const answer_id = first.headers.get('x-answer-id')
  await first.text()
  const refused = await query(server.url, { fields: { ...same, answer_id, ...fields } })
  expect(await problemOf(refused)).toMatchObject({ code })
})

test('another question under the same id is refused', async () => {
  await using server = await startTestServer()
  await (await query(server.url, { fields: same })).text()
  const other = await query(server.url, { fields: { ...same, message: 'Something else' } })
  expect(await problemOf(other)).toMatchObject({ status: 409, code: 'message-id-taken' })
})

test('a session that is answering refuses or is interrupted, as the question asks', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  await using server = await startTestServer({ agents: [agent] })
  await using first = new SseBytes(await query(server.url, { fields: { session_id: 'trip' } }))
  await first.until('Wait')
  const refused = await query(server.url, { fields: { session_id: 'trip', onBusy: 'reject' } })
  expect(await problemOf(refused)).toMatchObject({ status: 409, code: 'chat-busy' })
  const fields = { session_id: 'trip', onBusy: 'interrupt' }
  await using second = new SseBytes(await query(server.url, { fields }))
  await second.until('Wait')
  const events = eventsIn((await first.rest()).toString())
  expect(ofType(events, 'final')).toMatchObject([{ content: 'Wait', status: 'stopped' }])
})

test("another owner's session of the same id is another session", async () => {
  const tokens = new Map(['ada', 'bob'].map(name => [`token-of-${name}`, ownerIdOf(name)]))
  await using server = await startTestServer({ tokens, agents: [countingAgent()] })
  const askAs = async (name: string) => {
    const headers = { authorization: `Bearer token-of-${name}` }
    return ofType(await queryEvents(await query(server.url, { fields: same, headers })), 'final')[0]?.content
  }
  expect(await askAs('ada')).toBe('Answer 1 of 1 messages.')
  expect(await askAs('bob')).toBe('Answer 2 of 1 messages.')
  expect(await askAs('ada')).toBe('Answer 1 of 1 messages.')
})
