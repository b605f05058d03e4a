import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { sharedStores, startNodes } from '@throughline/testing/server/start-nodes'
import { ownerIdOf, startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'

const alice = { authorization: 'Bearer the-token-of-alice' }
const bob = { authorization: 'Bearer the-token-of-bob' }
const tokens = new Map([
  ['the-token-of-alice', ownerIdOf('alice')],
  ['the-token-of-bob', ownerIdOf('bob')],
])

test('a ticket opens the log and the stream of its chat without a token', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ tokens, agents: [agent] })
  await using asked = new SseBytes(await ask(server.url, { headers: alice }))
  await asked.until('Well, ')
  const { ticket } = await ticketFor(server.url, 'chat')
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log?ticket=${ticket}`))
  await log.until('Well, ')
  await using stream = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream?ticket=${ticket}`))
  await stream.until('Well, ')
  letGo()
  await log.until('yes.')
  expect((await stream.rest()).toString()).toContain('[DONE]')
})

test('a ticket lasts for 60 seconds, and what it has opened stays open', async () => {
  const clock = { now: new Date('2026-11-15T12:00:00.000Z') }
  await using server = await startTwoChats({ now: () => clock.now })
  const issued = await ticketFor(server.url, 'chat')
  expect(issued.expiresAt).toBe('2026-11-15T12:01:00.000Z')
  await using log = new SseBytes(await openLog(server.url, 'chat', issued.ticket))
  clock.now = new Date('2026-11-15T12:00:59.999Z')
  await using late = new SseBytes(await openLog(server.url, 'chat', issued.ticket))
  await late.until('question')
  clock.now = new Date('2026-11-15T12:01:00.000Z')
  expect(await problemOf(await openLog(server.url, 'chat', issued.ticket))).toMatchObject(refused)
  await sendJson(`${server.url}/api/chats/chat/messages`, { message: message('again') }, { headers: alice })
  await log.until('again')
})

test('how long a ticket lasts can be set', async () => {
  const now = () => new Date('2026-11-15T12:00:00.000Z')
  await using server = await startTestServer({ tokens, now, ticketMs: 5_000 })
  expect((await ticketFor(server.url, 'chat')).expiresAt).toBe('2026-11-15T12:00:05.000Z')
})

describe('a ticket opens nothing else:', () => {
  test('no other chat of its owner', async () => {
    await using server = await startTwoChats()
    const { ticket } = await ticketFor(server.url, 'chat')
    for (const path of ['/api/chats/other/log', '/api/chat/other/stream', '/api/chats/nowhere/log'])
      expect(await problemOf(await fetch(`${server.url}${path}?ticket=${ticket}`))).toMatchObject(refused)
  })

  test('no chat of the same name of somebody else', async () => {
    await using server = await startTwoChats()
    const { ticket } = await ticketFor(server.url, 'chat', bob)
    const response = await openLog(server.url, 'chat', ticket)
    expect(await problemOf(response)).toMatchObject({ status: 404, code: 'chat-not-found' })
  })

  test.each([
    ['GET', '/api/chats'],
    ['GET', '/api/chats/chat'],
    ['GET', '/api/chats/chat/messages'],
    ['GET', '/api/chats/chat/branches'],
    ['GET', '/api/chats/chat/queue'],
    ['GET', '/api/chats/chat/files/file_1'],
    ['GET', '/api/chat'],
    ['GET', '/sessions/chat'],
    ['GET', '/api/tools'],
    ['DELETE', '/api/chats/chat'],
    ['POST', '/api/chats/chat/messages'],
    ['POST', '/api/chat/chat/stop'],
    ['POST', '/api/tickets'],
  ])('not %s %s', async (method, path) => {
    await using server = await startTwoChats()
    const { ticket } = await ticketFor(server.url, 'chat')
    const url = `${server.url}${path}?ticket=${ticket}&chatId=chat`
    const body = { chatId: 'chat', message: message('again') }
    const response = method === 'POST' ? await sendJson(url, body) : await fetch(url, { method })
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'token-required' })
  })
})

test('a ticket that was changed, made up or issued by another process opens nothing', async () => {
  await using server = await startTwoChats()
  await using other = await startTwoChats()
  const { ticket } = await ticketFor(server.url, 'chat')
  const [subject = '', expires = '', signature = ''] = ticket.split('.')
  const othersSubject = Buffer.from('["bob","chat"]').toString('base64url')
  for (const wrong of [
    '',
    'x',
    '..',
    `${ticket}x`,
    `${ticket}.x`,
    `${othersSubject}.${expires}.${signature}`,
    `${subject}.${Number(expires) + 60_000}.${signature}`,
    `${subject}.${expires}.`,
    `${subject}.${expires}.${'A'.repeat(signature.length)}`,
    (await ticketFor(other.url, 'chat')).ticket,
  ])
    expect(await problemOf(await openLog(server.url, 'chat', wrong))).toMatchObject(refused)
})

test('nodes that share a store open each other’s tickets', async () => {
  const [, postgres] = sharedStores
  await using nodes = await startNodes({ open: postgres.open, tokens })
  await (await ask(nodes.first, { headers: alice })).text()
  const { ticket } = await ticketFor(nodes.first, 'chat')
  await using log = new SseBytes(await openLog(nodes.second, 'chat', ticket))
  await log.until('question')
  const { ticket: ofBob } = await ticketFor(nodes.first, 'chat', bob)
  expect((await openLog(nodes.second, 'chat', ofBob)).status).toBe(404)
})

test('a ticket is asked for with a chat id, by somebody who is known', async () => {
  await using server = await startTestServer({ tokens })
  const post = (body: unknown, headers = {}) => sendJson(`${server.url}/api/tickets`, body, { headers })
  expect(await problemOf(await post({ chatId: 'chat' }))).toMatchObject({ status: 401 })
  expect(await problemOf(await post({}, alice))).toMatchObject({ status: 400, code: 'invalid-body' })
  expect(await problemOf(await post({ chatId: 'a b' }, alice))).toMatchObject({ code: 'invalid-id' })
})

test('no ticket is written to the log or kept by a cache', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  await using server = await startTwoChats({ logger })
  const issued = await sendJson(`${server.url}/api/tickets`, { chatId: 'chat' }, { headers: alice })
  expect(issued.headers.get('cache-control')).toBe('no-store')
  const { ticket } = await issued.json()
  for (const path of ['/api/chats/chat/log', '/api/chats/other/log', '/api/chats', '/nowhere'])
    await (await fetch(`${server.url}${path}?ticket=${ticket}`)).body?.cancel()
  const log = lines.join('')
  expect(log).toContain('/api/chats/other/log')
  for (const part of ticket.split('.')) expect(log).not.toContain(part)
})

const refused = { status: 401, code: 'ticket-not-valid' }

/** Alice has two chats, `chat` and `other`. */
async function startTwoChats(options: TestServerOptions = {}) {
  const server = await startTestServer({ tokens, ...options })
  for (const chatId of ['chat', 'other']) await (await ask(server.url, { chatId, headers: alice })).text()
  return server
}

async function ticketFor(
  url: string,
  chatId: string,
  headers: Readonly<Record<string, string>> = alice,
): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
  const response = await sendJson(`${url}/api/tickets`, { chatId }, { headers })
  expect(response.status).toBe(201)
  return response.json()
}

function openLog(url: string, chatId: string, ticket: string): Promise<Response> {
  return fetch(`${url}/api/chats/${chatId}/log?ticket=${encodeURIComponent(ticket)}`)
}

function message(text: string) {
  return { id: `message-${text}`, role: 'user', parts: [{ type: 'text', text }] }
}
