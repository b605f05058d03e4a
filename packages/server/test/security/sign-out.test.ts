import type { OwnerId } from '@throughline/protocol'
import { finish, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { loggedLines } from '@throughline/testing/server/logged-lines'
import { sharedStores, startNodes } from '@throughline/testing/server/start-nodes'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import type { Authenticate } from '../../src/http/sign-in/identity.ts'

/** The sessions of an application. Its cookie, or a header of its own, names the session. */
function application() {
  const sessions = new Map([
    ['one', 'ada'],
    ['other', 'ada'],
  ])
  const authenticate: Authenticate = ({ headers }) => {
    const ownerId = sessions.get(headers.get('x-session') ?? '')
    return ownerId === undefined ? undefined : { ownerId }
  }
  return { sessions, authenticate }
}

const one = { 'x-session': 'one' }
const other = { 'x-session': 'other' }

describe.each(sharedStores)('on $name', ({ open }) => {
  test('the end of a session ends its streams and its tickets on every node, and no others', async () => {
    const { sessions, authenticate } = application()
    await using nodes = await startNodes({ open, authenticate })
    await (await ask(nodes.first, { headers: one })).text()
    const { ticket } = await ticketFor(nodes.first)
    const log = (url: string, headers = {}, query = '') =>
      fetch(`${url}/api/chats/chat/log${query}`, { headers })
    const ended = await Promise.all([
      log(nodes.first, one),
      log(nodes.second, one),
      ...(open === sharedStores[1].open ? [log(nodes.second, {}, `?ticket=${ticket}`)] : []),
      log(nodes.first, {}, `?ticket=${ticket}`),
      fetch(`${nodes.second}/api/chats-stream`, { headers: one }),
    ])
    const streams = ended.map(response => new SseBytes(response))
    await using others = new SseBytes(await log(nodes.second, other))
    for (const stream of [...streams, others]) await stream.more()
    sessions.delete('one')
    for (const stream of streams) await expect(stream.rest()).rejects.toThrow()
    const late = await log(nodes.first, {}, `?ticket=${ticket}`)
    expect(await problemOf(late)).toMatchObject({ status: 401, code: 'ticket-not-valid' })
    await sendJson(`${nodes.first}/api/chats/chat/messages`, { message: again }, { headers: other })
    await others.until('And again?')
  })

  test('a token that is removed ends its streams and its tickets on every node', async () => {
    const ofAda: readonly [string, OwnerId] = ['the-token-of-ada', ownerIdOf('ada')]
    let tokens = new Map([ofAda, ['another-token-of-ada', ownerIdOf('ada')]])
    const headers = { authorization: 'Bearer the-token-of-ada' }
    await using nodes = await startNodes({ open, tokens: () => tokens })
    await (await ask(nodes.first, { headers })).text()
    const { ticket } = await ticketFor(nodes.first, headers)
    const urls = [nodes.first, nodes.second].map(url => `${url}/api/chats/chat/log`)
    const asked = urls.map(url => fetch(url, { headers }))
    const streams = (await Promise.all([...asked, fetch(`${urls[0]}?ticket=${ticket}`)])).map(
      response => new SseBytes(response),
    )
    for (const stream of streams) await stream.until('question')
    tokens = new Map([...tokens].slice(1))
    for (const stream of streams) await expect(stream.rest()).rejects.toThrow()
    expect((await fetch(`${urls[0]}?ticket=${ticket}`)).status).toBe(401)
  })
})

test('a session that goes to somebody else ends the streams of who had it', async () => {
  const { sessions, authenticate } = application()
  await using server = await startTestServer({ authenticate })
  await (await ask(server.url, { headers: one })).text()
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`, { headers: one }))
  await log.until('question')
  sessions.set('one', 'bob')
  await expect(log.rest()).rejects.toThrow()
})

test('a stream ends when the application cannot say any more who is signed in', async () => {
  const { authenticate } = application()
  let isDown = false
  await using server = await startTestServer({
    authenticate: request => (isDown ? Promise.reject(new Error('down')) : authenticate(request)),
  })
  await (await ask(server.url, { headers: one })).text()
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`, { headers: one }))
  await log.until('question')
  isDown = true
  await expect(log.rest()).rejects.toThrow()
})

test('the answer goes on when its asker is signed out, and is there for the next session', async () => {
  const { sessions, authenticate } = application()
  const { script, letGo } = heldScript({ before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ authenticate, agents: [scriptedAgent('assistant', script)] })
  await using answer = new SseBytes(await ask(server.url, { headers: one }))
  await answer.until('Well, ')
  sessions.delete('one')
  await expect(answer.rest()).rejects.toThrow()
  letGo()
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`, { headers: other }))
  await log.until('yes.')
})

test('credentials that do not fit into an address get no ticket', async () => {
  await using server = await startTestServer({ authenticate: () => ({ ownerId: 'ada' }) })
  const headers = { cookie: `session=${'x'.repeat(8_000)}` }
  const response = await sendJson(`${server.url}/api/tickets`, { chatId: 'chat' }, { headers })
  expect(await problemOf(response)).toMatchObject({ status: 400, code: 'ticket-too-large' })
})

test('a refused sign-in is one line in the log, without the token, and strangers cannot fill the log', async () => {
  const { logger, lines } = loggedLines()
  const clock = { now: new Date('2026-11-18T12:00:00.000Z') }
  const agents = [scriptedAgent('assistant', [finish])]
  const tokens = new Map([['the-token-of-ada', ownerIdOf('ada')]])
  await using server = await startTestServer({ tokens, agents, logger, now: () => clock.now })
  const refused = () => lines.filter(({ msg }) => msg === 'a sign-in was refused')
  const headers = { authorization: 'Bearer a-wrong-token-of-ada', 'x-forwarded-for': '192.0.2.7' }
  await fetch(`${server.url}/api/chats/secret-chat/log?ticket=a-wrong-ticket`, { headers })
  await fetch(`${server.url}/api/chats/secret-chat`, { headers })
  await fetch(`${server.url}/api/chats`)
  expect(refused()).toMatchObject([
    { level: 30, address: '127.0.0.1', route: '/api/chats/:id/log', reason: 'ticket-not-valid' },
    { forwardedFor: '192.0.2.7', method: 'GET', route: '/api/chats/:id', reason: 'unknown-token' },
    { route: '/api/chats', reason: 'token-required' },
  ])
  expect(JSON.stringify(lines)).not.toMatch(/a-wrong-t/)
  for (let count = 0; count < 100; count++) await fetch(`${server.url}/api/chats`)
  expect(refused()).toHaveLength(20)
  clock.now = new Date('2026-11-18T12:00:03.000Z')
  await fetch(`${server.url}/api/chats`)
  expect(refused()).toHaveLength(21)
  expect(refused().at(-1)).toMatchObject({ leftOut: 83 })
})

const again = { id: 'again', role: 'user', parts: [{ type: 'text', text: 'And again?' }] }

async function ticketFor(url: string, headers: Readonly<Record<string, string>> = one) {
  const response = await sendJson(`${url}/api/tickets`, { chatId: 'chat' }, { headers })
  expect(response.status).toBe(201)
  const { ticket }: { readonly ticket: string } = await response.json()
  return { ticket }
}
