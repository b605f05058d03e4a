import { toolContext, toolFactory } from '@throughline/agents'
import { asking, calling, saying, scriptedModel, type Turn } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, stop, submit } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import {
  type DelegationOptions,
  delegating,
  startDelegation,
  subAgent,
} from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../src/start-server.ts'

const hangs: Turn = async function* () {
  yield saying('I begin. ')
  await new Promise(() => undefined)
}
const usageOf = (calls: number) => ({ totalTokens: 15 * calls, byModel: { 'test:scripted': { calls } } })

describe('over all attempts of a run count', () => {
  test('its tokens', async () => {
    await using world = await takenOver({
      before: [[calling('note', { text: 'x' })], hangs],
      after: [[calling('note', { text: 'y' })], [saying('Never.')]],
      limits: { maxTokens: 29 },
    })
    expect((await world.ended()).metadata).toMatchObject({ status: 'limit', usage: usageOf(2) })
  })

  test('its steps: the model calls that were cut off, too', async () => {
    await using world = await takenOver({
      before: [[calling('note', { text: 'x' })], hangs],
      after: [[calling('note', { text: 'y' })], [saying('Never.')]],
      limits: { maxSteps: 3 },
    })
    expect((await world.ended()).metadata).toMatchObject({
      status: 'limit',
      statusText: 'The answer reached its limit of steps.',
      usage: usageOf(2),
    })
  })

  test('its time: only that in which a process had the run', async () => {
    await using world = await takenOver({ before: [hangs], after: [hangs], limits: { maxRunMs: 1_500 } })
    expect((await world.ended()).metadata).toMatchObject({
      status: 'limit',
      statusText: 'The answer took too long.',
    })
  })

  test('its output', async () => {
    await using world = await takenOver({
      before: [hangs],
      after: [[saying('x'.repeat(95)), saying('y'), saying('z')]],
      limits: { maxOutputBytes: 100 },
    })
    expect((await world.ended()).metadata?.status).toBe('limit')
  })

  test('its sub-agents, which get numbers that nobody had before', async () => {
    await using world = await takenOver({
      before: [[asking('quick', 'one')], hangs],
      after: [[asking('quick', 'two')], [saying('Done.')]],
      limits: { maxChildrenPerRun: 2 },
    })
    expect((await world.ended()).metadata?.status).toBe('finished')
    const { messages } = await loadChat(world.url)
    expect(messagesBy(messages, 'quick')).toHaveLength(2)
    expect(messages.at(-1)?.metadata?.agent?.name).toBe('quick')
  })
})

test('who asked, and from where, is the same after a restart', async () => {
  const seen: unknown[] = []
  const where = toolFactory(
    'where',
    tool({
      inputSchema: z.object({}),
      execute() {
        const { workspaceId, tab } = toolContext()
        seen.push({ workspaceId, title: tab?.title })
        return 'seen'
      },
    }),
  )
  const context = {
    workspaceId: 'team',
    activeTabId: 't',
    tabs: [{ id: 't', title: 'A page', url: 'https://a.example' }],
  }
  await using world = await takenOver({
    before: [hangs],
    after: [[calling('where', {})], [saying('Done.')]],
    tools: [where],
    fields: { context },
  })
  expect((await world.ended()).metadata?.status).toBe('finished')
  expect(seen).toEqual([{ workspaceId: 'team', title: 'A page' }])
})

test('a run that goes on can be stopped, and the chat takes the next message', async () => {
  await using world = await takenOver({ before: [hangs], after: [hangs] })
  expect(await (await stop(world.url)).json()).toEqual({ result: 'stopped' })
  expect((await world.ended()).metadata?.status).toBe('stopped')
  expect((await submit(world.url, { messageId: 'next' })).status).toBe(202)
})

test('the process that had the run before can write nothing any more', async () => {
  await using world = await takenOver({ before: [hangs], after: [[saying('The end.')]] })
  const answer = await world.ended()
  await stop(world.dead.url)
  expect(await loadAnswer(world.url)).toEqual(answer)
})

interface TakeoverOptions extends Pick<DelegationOptions, 'limits' | 'tools'> {
  /** The turns of the model before and after another process takes the run over. */
  readonly before: readonly Turn[]
  readonly after: readonly Turn[]
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Starts a run, and lets a second server take it over as soon as its model hangs. */
async function takenOver({ before, after, fields = {}, ...options }: TakeoverOptions) {
  const subAgents = [subAgent('quick')]
  const quick: readonly Turn[] = [[saying('Quickly.')]]
  const system = (master: readonly Turn[]) =>
    delegating({ ...options, subAgents, model: scriptedModel({ master, quick }) })
  const dead = await startDelegation({
    ...options,
    subAgents,
    model: scriptedModel({ master: before, quick }),
  })
  void ask(dead.url, { fields }).then(response => response.body?.cancel())
  await expect.poll(async () => JSON.stringify(await loadChat(dead.url))).toContain('I begin.')
  const server = await startServer({
    agents: [],
    ...system(after),
    store: dead.store,
    logger: pino({ level: 'silent' }),
    port: 0,
  })
  return {
    url: server.url,
    dead,
    async ended() {
      const status = async () => (await loadAnswerOf(server.url)).metadata?.status
      await expect.poll(status).not.toBe('streaming')
      return loadAnswerOf(server.url)
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await dead[Symbol.asyncDispose]()
    },
  }
}

async function loadAnswerOf(url: string) {
  const { messages } = await loadChat(url)
  const [answer] = messagesBy(messages, 'master')
  if (answer === undefined) throw new Error('There is no answer.')
  return answer
}
