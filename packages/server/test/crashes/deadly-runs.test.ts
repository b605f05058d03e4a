import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Message, textOf } from '@throughline/protocol'
import { loadChat, submit } from '@throughline/testing/http/chat-requests'
import { effectsIn } from '@throughline/testing/nodes/counted-tool'
import { type Errand, textOfErrand } from '@throughline/testing/nodes/deadly-agents'
import { SupervisedNodes } from '@throughline/testing/nodes/supervised-nodes'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'

const innocent: Errand = { words: 20, pauseMs: 100 }
const deadly: Errand = { words: 4, pauseMs: 50, dies: 'kill' }

describe.each([
  { name: 'one process on SQLite', count: 1, isShared: false },
  { name: 'one node on Postgres', count: 1, isShared: true },
  { name: 'three nodes on Postgres', count: 3, isShared: true },
])('on $name', ({ count, isShared }) => {
  test('an answer that kills its process again and again is ended after four deaths at most, and all others finish', async () => {
    await using world = await start(count, isShared)
    const innocents = Array.from({ length: 10 }, (_, index) => `innocent-${index}`)
    for (const chatId of innocents.slice(0, 5)) await world.ask(chatId, innocent)
    await world.ask('deadly', deadly)
    for (const chatId of innocents.slice(5)) await world.ask(chatId, innocent)
    const ended = await world.ended('deadly')
    expect(ended).toMatchObject({ metadata: { status: 'interrupted' } })
    expect(ended.metadata?.statusText).toMatch(
      /^This answer was ended because the server died [34] times while/,
    )
    for (const chatId of innocents) {
      const answer = await world.ended(chatId)
      expect([chatId, answer.metadata?.status, wordsIn(textOf(answer))]).toEqual([
        chatId,
        'finished',
        wordsIn(textOfErrand(innocent)),
      ])
    }
    expect(world.nodes.deaths).toBeLessThanOrEqual(4)
    const effects = await world.effects()
    expect(effects.filter(({ tool }) => tool === 'die').length).toBe(world.nodes.deaths)
    // Nobody pays twice. A death in the middle of a call leaves its outcome unknown, and the call is not made again.
    const paidBy = effects.filter(({ tool }) => tool === 'pay').map(({ runId }) => runId)
    expect(paidBy.length).toBeLessThanOrEqual(innocents.length)
    expect(new Set(paidBy).size).toBe(paidBy.length)
    expect(await world.errors()).toMatchObject([
      { chatId: 'deadly', agent: 'master', underWay: [{ tool: 'die' }], deaths: expect.any(Number) },
    ])
  }, 240_000)
})

test('a sub-agent that kills its process ends the answer of its master', async () => {
  await using world = await start(1, false)
  await world.ask('innocent', innocent)
  await world.ask('deadly', { ...deadly, dies: 'abort', isInHelper: true })
  expect(await world.ended('deadly')).toMatchObject({ metadata: { status: 'interrupted' } })
  expect(await world.ended('innocent')).toMatchObject({ metadata: { status: 'finished' } })
  expect(world.nodes.deaths).toBeLessThanOrEqual(4)
}, 240_000)

test('deployments end no answer, however often they come before its model has said anything', async () => {
  await using world = await start(3, true)
  const thinks: Errand = { words: 1, pauseMs: 8_000 }
  const chatIds = Array.from({ length: 12 }, (_, index) => `thinks-${index}`)
  await Promise.all(chatIds.map(chatId => world.ask(chatId, thinks)))
  for (let deployment = 0; deployment < 2; deployment += 1) await world.nodes.restartAll()
  for (const chatId of chatIds) {
    const answer = await world.ended(chatId)
    expect([chatId, answer.metadata?.status, answer.metadata?.statusText]).toEqual([
      chatId,
      'finished',
      undefined,
    ])
  }
  expect(world.nodes.deaths).toBe(0)
}, 240_000)

/** An answer that went on has a paragraph for each time. */
function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter(word => word !== '')
}

async function start(count: number, isShared: boolean) {
  const folder = await temporaryFolder()
  const database = isShared ? await testDatabase() : undefined
  const databaseUrl = database?.url
  const nodes = await SupervisedNodes.start({
    count,
    folder: folder.path,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  })
  /** A node may die at any time. */
  async function untilDone<Value>(work: (url: string) => Promise<Value | undefined>): Promise<Value> {
    for (;;) {
      const done = await work(await nodes.anyUrl()).catch(() => undefined)
      if (done !== undefined) return done
      await pause(100)
    }
  }
  return {
    nodes,
    ask: (chatId: string, errand: Errand) =>
      untilDone(async url => {
        const question = { chatId, messageId: `${chatId}-question`, text: JSON.stringify(errand) }
        return (await submit(url, question)).ok ? true : undefined
      }),
    /** Returns the answer of a chat when it has ended. */
    ended: (chatId: string): Promise<Message> =>
      untilDone(async url => {
        const { messages } = await loadChat(url, chatId)
        const answer = messages.find(({ metadata }) => metadata?.agent?.name === 'master')
        return answer?.metadata?.status === 'streaming' ? undefined : answer
      }),
    effects: () => effectsIn(`${folder.path}/effects`),
    async errors(): Promise<readonly unknown[]> {
      const lines = (await readFile(`${folder.path}/log`, 'utf8')).split('\n').filter(line => line !== '')
      return lines.map(line => JSON.parse(line)).filter(({ level }) => level >= 50)
    },
    async [Symbol.asyncDispose]() {
      await nodes[Symbol.asyncDispose]()
      await database?.[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
