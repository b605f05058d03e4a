import { logName } from '@throughline/log'
import { isChatId, isOwnerId, type Message } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { heldAgent, heldScript, say } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { anyMessageTree } from '@throughline/testing/store/any-message-tree'
import { saveHistory } from '@throughline/testing/store/save-history'
import { adasChat, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { loadHistory, loadHistoryPage, pageOf } from '../../src/chats/history.ts'

const chat = { ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'chat') }
const pageBody = z.object({
  messages: z.array(z.custom<Message>()),
  position: z.string(),
  next: z.string().nullable(),
})

async function loadPage(url: string, query: string): Promise<z.infer<typeof pageBody>> {
  const response = await fetch(`${url}/api/chats/chat/messages?${query}`)
  return pageBody.parse(await response.json())
}

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id)

test('the pages of a chat, newest first, are together all messages of its newest branch', async () => {
  await using server = await startTestServer()
  await saveHistory(server.store, { ...chat, count: 10 })
  await (await ask(server.url)).text()
  const { messages: all, position } = await loadChat(server.url)
  let shown: readonly Message[] = []
  const sizes: number[] = []
  for (let before = ''; ; ) {
    const page = await loadPage(server.url, `limit=5${before}`)
    shown = [...page.messages, ...shown]
    sizes.push(page.messages.length)
    expect(page.position).toBe(position)
    if (page.next === null) break
    before = `&before=${page.next}`
  }
  expect(sizes).toEqual([5, 5, 2])
  expect(shown).toEqual(all)
})

test('a page is what the same part of the whole branch is, in any tree of messages', async () => {
  const run = testRun('run', { userMessageId: 'm0' })
  await fc.assert(
    fc.asyncProperty(anyMessageTree, fc.integer({ min: 1, max: 4 }), async (tree, limit) => {
      await using context = await temporaryStore()
      const { store } = context
      await store.runs.claim(run, startOf(run))
      await store.log.open(logName(adasChat))
      await store.runs.end(run, { ...endOf(run, tree, { seq: 1 }), seq: 0 })
      const history = await loadHistory(store, adasChat)
      if (history === undefined) throw new Error('The chat is missing.')
      for (const before of [undefined, ...idsOf(tree), 'unknown']) {
        const page = await loadHistoryPage(store, adasChat, { limit, before })
        expect(page).toEqual(pageOf(history, { limit, before }))
      }
    }),
    { numRuns: 25 },
  )
})

test('the newest page has the answer that is being written, and its position goes on after it', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Half')], after: [say(' and half')] })
  await using server = await startTestServer({ agents: [agent] })
  await saveHistory(server.store, { ...chat, count: 10 })
  const stream = await ask(server.url)
  await expect
    .poll(async () => (await loadPage(server.url, 'limit=3')).messages.at(-1)?.parts)
    .toMatchObject([{ type: 'text', text: 'Half' }])
  const page = await loadPage(server.url, 'limit=3')
  const whole = await loadChat(server.url)
  expect(page.messages).toEqual(whole.messages.slice(-3))
  expect(page).toMatchObject({ position: whole.position, next: 'old-9' })
  const older = await loadPage(server.url, `limit=2&before=${page.messages.at(-1)?.id}`)
  expect(idsOf(older.messages)).toEqual(['old-9', 'question'])
  letGo()
  await stream.text()
})

test('while another answer is being written, the newest page is of its branch', async () => {
  const held = heldScript({ before: [say('Again')] })
  const { agent } = recordingAgent([held.script])
  await using server = await startTestServer({ agents: [agent] })
  await saveHistory(server.store, { ...chat, count: 10 })
  const again = await sendJson(`${server.url}/api/chats/chat/answers`, { messageId: 'old-4' })
  expect(again.status).toBe(202)
  await expect
    .poll(async () => (await loadPage(server.url, 'limit=3')).messages.at(-1)?.parts)
    .toMatchObject([{ type: 'text', text: 'Again' }])
  const { messages } = await loadPage(server.url, 'limit=3')
  expect(idsOf(messages).slice(0, 2)).toEqual(['old-3', 'old-4'])
  held.letGo()
})

test('a chat that does not exist is an empty history for a client that asks so, and a failed request otherwise', async () => {
  await using server = await startTestServer()
  const get = (query: string) => fetch(`${server.url}/api/chats/nothing/messages${query}`)
  expect((await get('')).status).toBe(404)
  for (const query of ['?missing=empty', '?missing=empty&branches=all', '?missing=empty&limit=5']) {
    const response = await get(query)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ messages: [], position: null })
  }
  expect((await get('?missing=yes')).status).toBe(400)
})

test('a page of another branch is found by a message of it', async () => {
  await using server = await startTestServer()
  await saveHistory(server.store, { ...chat, count: 10 })
  await submit(server.url, { fields: { after: 'old-1' } })
  await expect.poll(async () => (await loadPage(server.url, 'limit=9')).messages.length).toBe(4)
  const page = await loadPage(server.url, 'limit=2&branch=old-5')
  expect(idsOf(page.messages)).toEqual(['old-8', 'old-9'])
  expect(page.next).toBe('old-8')
})

test('a page that cannot be is refused', async () => {
  await using server = await startTestServer()
  await saveHistory(server.store, { ...chat, count: 4 })
  const problem = async (query: string) => {
    const { status, code } = await problemOf(await fetch(`${server.url}/api/chats/${query}`))
    return `${status} ${code}`
  }
  expect(await problem('chat/messages?limit=0')).toBe('400 invalid-page')
  expect(await problem('chat/messages?limit=1001')).toBe('400 invalid-page')
  expect(await problem('chat/messages?limit=ten')).toBe('400 invalid-page')
  expect(await problem('chat/messages?limit=2&branches=all')).toBe('400 invalid-page')
  expect(await problem('chat/messages?before=nobody')).toBe('404 message-not-found')
  expect(await problem('chat/messages?before=')).toBe('404 message-not-found')
  expect(await problem('nowhere/messages?limit=2')).toBe('404 chat-not-found')
})
