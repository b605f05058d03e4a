import { isToolPart, textOf } from '@throughline/protocol'
import { asking, calling, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import {
  type DelegationOptions,
  delegating,
  startDelegation,
  subAgent,
} from '@throughline/testing/server/delegating-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

async function* hangs() {
  yield saying('I begin. ')
  await new Promise(() => undefined)
}

const asksWorker = [[asking('worker')], [saying('Done.')]]
const before: Turns = { master: asksWorker, worker: [hangs] }
const after: Turns = { master: asksWorker, worker: [[saying('I go on.')]] }
const definition = { description: 'Works.', systemPrompt: 'You are worker.', toolKeys: ['note'] }

describe('a sub-agent that a person has defined', () => {
  test('goes on when its definition is the same', async () => {
    await using world = await takenOver({ before, after, define: definition })
    const { worker, answer } = await world.ended()
    expect(worker).toMatchObject({ metadata: { status: 'finished', agentDefinition: { version: 1 } } })
    expect(worker && textOf(worker)).toContain('I go on.')
    expect(answer?.metadata?.status).toBe('finished')
  })

  test.each([
    [
      'was changed',
      (url: string) => putWorker(url, { ...definition, description: 'Works well.', version: 1 }),
    ],
    [
      'was deleted and made again',
      async (url: string) => {
        await sendJson(`${url}/api/agents/worker`, undefined, { method: 'DELETE' })
        await putWorker(url, definition)
      },
    ],
  ])('does not go on when its definition %s, and says so', async (_name, change) => {
    await using world = await takenOver({ before, after, define: definition, meanwhile: change })
    const { worker, answer } = await world.ended()
    expect(worker?.metadata).toMatchObject({
      status: 'interrupted',
      statusText: 'The server was restarted, and the definition of "worker" has changed since it began.',
    })
    expect(answer?.parts.find(isToolPart)?.output).toMatchObject({
      code: 'INTERRUPTED',
      summary: 'I begin. ',
    })
    expect(answer?.metadata?.status).toBe('finished')
  })

  test('does not go on when an agent in code has its name by now', async () => {
    await using world = await takenOver({
      before,
      after,
      define: definition,
      later: { subAgents: [subAgent('worker')] },
    })
    expect((await world.ended()).worker?.metadata?.statusText).toContain('has changed since it began')
  })
})

describe('a sub-agent in code does not go on, and says so,', () => {
  const subAgents = [subAgent('lead', { allowedSubAgents: ['worker'] }), subAgent('worker')]
  test.each<[string, Partial<DelegationOptions>]>([
    ['when it is gone', { subAgents: [] }],
    ['when its caller may not ask it any more', { allowedSubAgents: ['lead'] }],
    ['when its caller may ask nobody any more', { allowedSubAgents: [] }],
    ['when it is too deep by now', { maxDepth: 0 }],
  ])('%s', async (_name, later) => {
    await using world = await takenOver({ before, after, subAgents, later })
    const { worker, answer } = await world.ended()
    expect(worker?.metadata).toMatchObject({
      status: 'interrupted',
      statusText: 'The server was restarted, and "The worker" cannot be asked here any more.',
    })
    expect(answer?.metadata?.status).toBe('finished')
  })

  test('and nor do those below it', async () => {
    const asksLead = [[asking('lead')], [saying('Done.')]]
    await using world = await takenOver({
      before: { master: asksLead, lead: [[asking('worker')]], worker: [hangs] },
      after: { master: asksLead },
      subAgents,
      later: { subAgents: [subAgent('worker')] },
    })
    const { worker, messages } = await world.ended()
    const [lead] = messagesBy(messages, 'lead')
    expect([lead, worker].map(message => message?.metadata?.status)).toEqual(['interrupted', 'interrupted'])
    expect(lead?.parts.find(isToolPart)?.output).toMatchObject({ code: 'INTERRUPTED', summary: 'I begin. ' })
  })
})

describe('over all attempts of a sub-agent count', () => {
  const subAgents = [subAgent('worker', { tools: ['note'], allowedSubAgents: ['quick'] }), subAgent('quick')]
  const quick = [[saying('Quickly.')]]

  test('its steps', async () => {
    await using world = await takenOver({
      before: { master: asksWorker, worker: [[calling('note', { text: 'x' })], hangs] },
      after: { master: asksWorker, worker: [[calling('note', { text: 'y' })], [saying('Never.')]] },
      subAgents,
      limits: { maxSteps: 3 },
    })
    const { worker } = await world.ended()
    expect(worker?.metadata).toMatchObject({
      status: 'limit',
      statusText: 'The answer reached its limit of steps.',
    })
  })

  test('its own sub-agents, and what all of them have used', async () => {
    await using world = await takenOver({
      before: { master: asksWorker, worker: [[asking('quick', 'one')], hangs], quick },
      after: { master: asksWorker, worker: [[asking('quick', 'two')], [saying('I go on.')]], quick },
      subAgents,
      limits: { maxChildrenPerAgent: 1 },
    })
    const { worker, answer, messages } = await world.ended()
    expect(messagesBy(messages, 'quick')).toHaveLength(1)
    expect(JSON.stringify(worker?.parts)).toContain('"code":"LIMIT"')
    // Of the model calls that ended: two of the worker before, two after, and one of the agent below it.
    expect(worker?.metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 4 } })
    expect(answer?.metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 6 } })
  })

  test('its time', async () => {
    await using world = await takenOver({
      before,
      after: { ...before },
      subAgents,
      limits: { maxChildMs: 1_500 },
    })
    const { worker, answer } = await world.ended()
    expect(worker?.metadata).toMatchObject({ status: 'limit', statusText: 'The worker took too long.' })
    expect(answer?.metadata?.status).toBe('finished')
  })
})

test('a stop ends sub-agents that have gone on, and those below them', async () => {
  const turns: Turns = {
    master: [[asking('lead')]],
    lead: [[asking('worker')]],
    worker: [hangs],
  }
  const subAgents = [subAgent('lead', { allowedSubAgents: ['worker'] }), subAgent('worker')]
  await using world = await takenOver({ before: turns, after: turns, subAgents })
  await expect
    .poll(async () => JSON.stringify(await loadChat(world.url)))
    .toMatch(/I begin.*continued-1.*I begin/)
  expect(await (await stop(world.url)).json()).toEqual({ result: 'stopped' })
  const { messages } = await world.ended()
  const statuses = messages.filter(({ role }) => role === 'assistant').map(({ metadata }) => metadata?.status)
  expect(statuses).toEqual(['stopped', 'stopped', 'stopped'])
})

function putWorker(url: string, body: object) {
  return sendJson(`${url}/api/agents/worker`, body, { method: 'PUT' })
}

interface TakeoverOptions extends Pick<DelegationOptions, 'limits' | 'subAgents'> {
  /** What the model says before and after another process takes the run over. */
  readonly before: Turns
  readonly after: Turns
  /** A definition of `worker`, in place of sub-agents in code. */
  readonly define?: object
  /** What happens after the first process has died. */
  readonly meanwhile?: (url: string) => Promise<unknown>
  /** What is different in the other process. */
  readonly later?: Partial<DelegationOptions>
}

/** Starts a run, and lets a second server take it over as soon as a model hangs. */
async function takenOver({
  before,
  after,
  define,
  meanwhile,
  later,
  subAgents = [],
  ...options
}: TakeoverOptions) {
  const all = { ...options, subAgents: define === undefined ? subAgents : [] }
  const dead = await startDelegation({ ...all, model: scriptedModel(before) })
  if (define !== undefined) expect((await putWorker(dead.url, define)).status).toBe(201)
  void ask(dead.url).then(response => response.body?.cancel())
  await expect.poll(async () => JSON.stringify(await loadChat(dead.url))).toContain('I begin.')
  await meanwhile?.(dead.url)
  const server = await startServer({
    agents: [],
    ...delegating({ ...all, ...later, model: scriptedModel(after) }),
    store: dead.store,
    logger: pino({ level: 'silent' }),
    port: 0,
  })
  return {
    url: server.url,
    async ended() {
      const load = async () => {
        const { messages } = await loadChat(server.url)
        const [answer] = messagesBy(messages, 'master')
        const [worker] = messagesBy(messages, 'worker')
        return { messages, answer, worker }
      }
      await expect.poll(async () => (await load()).answer?.metadata?.status).not.toBe('streaming')
      const loaded = await load()
      expect(JSON.stringify(loaded.messages)).not.toMatch(/"(streaming|running|input-available)"/)
      expect(replay(await readLog(server.url))).toEqual(loaded.messages)
      return loaded
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await dead[Symbol.asyncDispose]()
    },
  }
}
