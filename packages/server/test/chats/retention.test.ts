import { logName } from '@throughline/log'
import { isChatId, isOwnerId } from '@throughline/protocol'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { defaultAgents, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

const log = logName({ ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'chat') })
const later = (days: number) => () => new Date(Date.now() + days * 24 * 60 * 60_000)
const logger = pino({ level: 'silent' })

test('a server forgets the entries of old runs, and its chats stay as they are', async () => {
  await using context = await temporaryStore()
  const { store } = context
  const start = (options: object) =>
    startServer({ store, agents: defaultAgents(), logger, port: 0, ...options })
  const young = await start({ retention: { maxAgeDays: 30 } })
  await (await ask(young.url)).text()
  const before = await loadChat(young.url)
  const begin = { ...(await store.log.open(log)), seq: 0 }
  expect((await store.log.read(log, begin, 1)).length).toBe(1)
  await young.close()

  await using old = await start({ retention: { maxAgeDays: 30 }, now: later(31) })
  await expect.poll(() => store.log.read(log, begin, 1).catch(error => error.code)).toBe('unknown-position')
  expect(await loadChat(old.url)).toEqual(before)
  const next = await ask(old.url, { messageId: 'next' })
  expect(await next.text()).toContain('[DONE]')
  expect((await loadChat(old.url)).messages).toHaveLength(4)
})

test('by default nothing is ever forgotten', async () => {
  await using context = await temporaryStore()
  const { store } = context
  const first = await startServer({ store, agents: defaultAgents(), logger, port: 0 })
  await (await ask(first.url)).text()
  await first.close()
  await using _ = await startServer({ store, agents: defaultAgents(), logger, port: 0, now: later(999) })
  const begin = { ...(await store.log.open(log)), seq: 0 }
  expect((await store.log.read(log, begin, 1)).length).toBe(1)
})

test('whoever asks for what was trimmed is told so, and can go on from the messages', async () => {
  await using server = await startTestServer()
  const { url, store } = server
  const sent = await (await submit(url)).json()
  await expect.poll(async () => (await loadChat(url)).messages.at(-1)?.metadata?.status).toBe('finished')
  const { messages, position } = await loadChat(url)
  await store.log.trim(log, (await store.log.open(log)).seq)

  const viewer = await fetch(`${url}/api/chats/chat/log?after=${sent.position}`)
  expect(await viewer.text()).toContain(`event: reset\ndata: {"position":"${position}"}\n\n`)
  expect(await loadChat(url)).toEqual({ messages, position })

  const again = await ask(url)
  expect(await problemOf(again)).toMatchObject({ status: 410, code: 'position-unknown' })
  const resent = await submit(url)
  expect(await resent.json()).toMatchObject({ runId: sent.runId })
  const stream = await fetch(`${url}/api/chat/chat/stream?after=${sent.position}`)
  expect(await problemOf(stream)).toMatchObject({ status: 410, code: 'position-unknown' })
  const inline = await (await fetch(`${url}/api/chats/chat/messages?subAgents=inline`)).json()
  expect(inline.messages).toEqual(messages)
})

test('a run that goes on is shown from its beginning, after everything before it was trimmed', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Half')], after: [say(' and half')] })
  await using server = await startTestServer({
    agents: [...defaultAgents().map(a => ({ ...a, name: 'first' })), agent],
  })
  const { url, store } = server
  await (await ask(url, { fields: { agent: 'first' } })).text()
  const { seq: end } = await store.log.open(log)
  const { position } = await (await submit(url, { messageId: 'next', fields: { agent: 'assistant' } })).json()
  await store.log.trim(log, end)
  letGo()
  const resumed = await fetch(`${url}/api/chat/chat/stream?after=${position}`)
  expect(await resumed.text()).toContain('and half')
})
