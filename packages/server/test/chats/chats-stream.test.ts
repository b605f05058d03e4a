import { isChatListEvent } from '@throughline/protocol'
import { decide } from '@throughline/testing/http/approval-requests'
import { sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import {
  type NodesOptions,
  sharedStores,
  startNodes,
  withoutBells,
} from '@throughline/testing/server/start-nodes'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'

describe.each(sharedStores)('on $name', ({ open }) => {
  test('whoever follows the chats on another node sees them begin, wait for a decision, end and go', async () => {
    await using world = await watchChats({ open, ...asksApproval().serverOptions })
    expect(await world.next()).toEqual({ type: 'list', chats: [] })

    await submit(world.first)
    await world.until('"activity":"waiting"')
    const [approval] = await world.approvals()
    await decide(world.first, approval ?? '', { approved: true })
    await world.until('"answeredAt"')
    await sendJson(`${world.first}/api/chats/chat`, { title: '新标题' }, { method: 'PATCH' })
    await world.until('新标题')
    await fetch(`${world.first}/api/chats/chat`, { method: 'DELETE' })
    await world.until('{"type":"gone","id":"chat"}')
    expect(world.all()).toEqual(world.all().filter(isChatListEvent))
  })
})

test('changes are seen although every ring was lost', async () => {
  await using world = await watchChats({
    wrapStore: store => ({ ...withoutBells(store), isShared: true }),
  })
  await world.next()
  await sendJson(`${world.first}/api/chats`, { id: 'quiet', title: 'Quiet' })
  await world.until('Quiet')
})

test('each connection begins with the whole list, and nobody gets the chats of another owner', async () => {
  const tokens = new Map([
    ['ada-token', ownerIdOf('ada')],
    ['bob-token', ownerIdOf('bob')],
  ])
  await using server = await startTestServer({ tokens })
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  await submit(server.url, { headers: as('ada-token'), text: 'A secret of Ada' })
  const follow = async (token: string) =>
    new SseBytes(await fetch(`${server.url}/api/chats-stream`, { headers: as(token) }))
  await using adas = await follow('ada-token')
  await using bobs = await follow('bob-token')
  expect((await adas.until('}\n\n')).toString()).toContain('A secret of Ada')
  await sendJson(`${server.url}/api/chats`, { id: 'later', title: 'Later' }, { headers: as('ada-token') })
  await adas.until('"later"')
  await sendJson(`${server.url}/api/chats`, { id: 'own', title: 'Own' }, { headers: as('bob-token') })
  expect((await bobs.until('"own"')).toString()).not.toMatch(/Ada|later/i)
  expect((await fetch(`${server.url}/api/chats-stream`)).status).toBe(401)
})

test('many viewers of one owner cost one read of what has changed, and nothing while nothing changes', async () => {
  let reads = 0
  await using server = await startTestServer({
    wrapStore: store => ({
      ...store,
      chatList: {
        ...store.chatList,
        newest(...asked) {
          reads += 1
          return store.chatList.newest(...asked)
        },
        some(...asked) {
          reads += 1
          return store.chatList.some(...asked)
        },
      },
    }),
  })
  const viewers = await Promise.all(
    Array.from({ length: 20 }, async () => new SseBytes(await fetch(`${server.url}/api/chats-stream`))),
  )
  for (const viewer of viewers) await viewer.until('"list"')
  expect(reads).toBe(1)
  await sendJson(`${server.url}/api/chats`, { id: 'new', title: 'New' })
  for (const viewer of viewers) await viewer.until('"new"')
  expect(reads).toBe(2)
  for (const viewer of viewers) await viewer[Symbol.asyncDispose]()
})

async function watchChats(options: NodesOptions) {
  const nodes = await startNodes(options)
  const stream = new SseBytes(await fetch(`${nodes.second}/api/chats-stream`))
  const all = () =>
    sseEventsIn(stream.bytes).flatMap(({ data }) => (data === undefined ? [] : JSON.parse(data)))
  return {
    ...nodes,
    all,
    until: (text: string) => stream.until(text),
    async next() {
      const { length } = all()
      while (all().length === length) await stream.more()
      return all()[length]
    },
    async approvals() {
      const text = await (await fetch(`${nodes.first}/api/chats/chat/messages?subAgents=separate`)).text()
      return [...text.matchAll(/approval_[0-9a-f]+/g)].map(([id]) => id)
    },
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await nodes[Symbol.asyncDispose]()
    },
  }
}
