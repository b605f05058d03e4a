import { isEndChunk } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import { localChat } from '@throughline/testing/store/left-runs'
import { sharedStores } from '@throughline/testing/store/shared-store'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'
import { agentSystem } from '../../src/who/agent-system.ts'
import { entriesOf, handNode, untilWritten } from './hand-node.ts'

const silent = pino({ level: 'silent' })
const idle = scriptedAgent('assistant', [finish])

function begun() {
  return heldAgent('assistant', { before: [say('I begin. ')], after: [say('I end.')] })
}

/** Returns the chunks that end the messages of a chat. */
async function endsOf(store: Parameters<typeof untilWritten>[0], chatId = 'chat') {
  return (await entriesOf(store.log, chatId)).map(({ chunk }) => chunk).filter(isEndChunk)
}

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('a node that starts leaves the runs of live nodes alone', async () => {
    await using shared = await sharedStore()
    const { agent, letGo } = begun()
    await using first = await handNode({ store: shared.store, agents: [agent] })
    const { runId } = await first.send()
    const second = await createThroughline({
      store: shared.store,
      agents: [idle],
      logger: silent,
      drainMs: 0,
    })
    expect(await shared.store.runs.unfinished()).toMatchObject([{ id: runId }])
    letGo()
    await first.services.runner.underWay()[0]?.ended
    expect(await endsOf(shared.store)).toMatchObject([{ type: 'finish' }])
    await second.close()
  })

  test('the run of a dead node is taken over, and the dead node can write nothing more', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const { agent, letGo } = begun()
    await using first = await handNode({ store, agents: [agent] })
    await first.send()
    await untilWritten(store, 'I begin.')
    const [active] = first.services.runner.underWay()
    shared.pass(15_000)
    await using second = await handNode({ store, agents: [idle] })
    await second.node.sweep()
    expect(await endsOf(store)).toHaveLength(1)
    expect(await store.runs.unfinished()).toEqual([])
    letGo()
    expect(await active?.ended).toBeUndefined()
    expect(await endsOf(store)).toHaveLength(1)
    expect(JSON.stringify(await entriesOf(store.log))).not.toContain('I end.')
  })

  test('a sub-agent that ends while its run is being taken over leaves no failure in the log', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const held = Promise.withResolvers<void>()
    const model = scriptedModel({
      master: [[asking('helper')], [saying('Done.')]],
      helper: [
        async function* () {
          yield saying('I help. ')
          await held.promise
          yield saying('It is helped.')
        },
      ],
    })
    const { agents = [], system = agentSystem() } = delegating({ model, subAgents: [subAgent('helper')] })
    await using first = await handNode({ store, agents, system })
    await first.send()
    await untilWritten(store, 'I help. ')
    const [active] = first.services.runner.underWay()
    // Another node has written that the run is its own, and has not taken the lease of the log yet.
    if (active !== undefined) await store.runs.takeOver(active.run)
    held.resolve()
    await active?.ended
    const log = JSON.stringify(await entriesOf(store.log))
    expect(log).not.toContain('"tool-output')
    expect(log).not.toContain('Done.')
  })

  test('a run that was taken over goes on, and a stop on a third node ends it', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const before = begun()
    const after = heldAgent('assistant', { before: [say('I go on. ')], after: [say('I end.')] })
    await using first = await handNode({ store, agents: [{ ...before.agent, continues: true }] })
    await first.send()
    await untilWritten(store, 'I begin.')
    shared.pass(15_000)
    await using second = await handNode({ store, agents: [{ ...after.agent, continues: true }] })
    await second.node.sweep()
    await untilWritten(store, 'I go on.')
    await using third = await handNode({ store, agents: [idle] })
    expect(await third.services.runner.stop(localChat('chat'))).toBe('stopped')
    expect(await endsOf(store)).toMatchObject([{ type: 'abort' }])
    before.letGo()
    after.letGo()
  })

  test('a chat whose run was taken over takes the next message on any node', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const { agent, letGo } = begun()
    await using first = await handNode({ store, agents: [agent] })
    await first.send()
    shared.pass(15_000)
    await using second = await handNode({ store, agents: [idle] })
    await second.node.sweep()
    await first.node.beat()
    await first.node.sweep()
    letGo()
    await first.services.runner.underWay()[0]?.ended
    const { runId } = await first.send()
    while ((await store.runs.unfinished()).length > 0);
    expect((await entriesOf(store.log)).at(-1)).toMatchObject({ runId })
    expect(await endsOf(store)).toHaveLength(2)
  })

  test('a node that was paused stops its agents when it finds that its runs were taken', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const stopped = Promise.withResolvers<void>()
    const agent = scriptedAgent('assistant', async function* ({ signal }) {
      yield say('I begin. ')
      signal.addEventListener('abort', () => stopped.resolve())
      await stopped.promise
      yield say('I was stopped.')
    })
    await using first = await handNode({ store, agents: [agent] })
    await first.send()
    await untilWritten(store, 'I begin.')
    const [active] = first.services.runner.underWay()
    await using second = await handNode({ store, agents: [idle], clock: shared.now })
    shared.pass(15_000)
    await store.nodes.beat(second.node.id)
    // The second node writes its name into the row, and is paused before it takes the lease.
    const taken = await store.runOwners.takeOrphans(second.node.id, 10)
    expect(taken.runs).toHaveLength(1)
    await first.node.beat()
    await first.node.sweep()
    await stopped.promise
    expect(await active?.ended).toBeUndefined()
    expect(await endsOf(store)).toEqual([])
    // Nobody works on the run. The node whose name it has finds that when it has seen so for 5 seconds.
    await second.node.beat()
    await second.node.sweep()
    shared.pass(5_000)
    await second.node.sweep()
    expect(await endsOf(store)).toHaveLength(1)
  })

  test('a node whose beat has failed tries again soon, so that it is heard in time', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    let failures = 0
    const nodes: typeof store.nodes = {
      ...store.nodes,
      beat(nodeId) {
        if (failures >= 3 || begun === undefined) return store.nodes.beat(nodeId)
        failures += 1
        return Promise.reject(new Error('The database is away.'))
      },
    }
    let begun: number | undefined
    const only = await createThroughline({
      ...{ store: { ...store, nodes }, agents: [idle], logger: silent, drainMs: 0 },
    })
    begun = performance.now()
    await expect.poll(() => failures, { timeout: 20_000, interval: 20 }).toBe(3)
    // The first one fails three seconds after the start.
    expect(performance.now() - begun).toBeLessThan(6_000)
    await only.close()
  })

  test('a node that was cut off has not died: its runs do not count that', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    let isCutOff = false
    const nodes = {
      ...store.nodes,
      beat: (id: string) => (isCutOff ? Promise.reject(new Error('No response.')) : store.nodes.beat(id)),
    }
    const before = begun()
    const after = begun()
    const cutOff = { store: { ...store, nodes }, clock: shared.now, agents: [before.agent] }
    await using first = await handNode(cutOff)
    const { runId } = await first.send()
    await untilWritten(store, 'I begin.')
    isCutOff = true
    for (let passedMs = 0; passedMs < 15_000; passedMs += 5_000) {
      shared.pass(5_000)
      await first.node.beat()
    }
    await using second = await handNode({ store, agents: [{ ...after.agent, continues: true }] })
    await second.node.sweep()
    expect((await store.runs.get(localChat('chat').ownerId, runId))?.deaths).toEqual([first.node.id])
    isCutOff = false
    await first.node.beat()
    await first.node.sweep()
    expect((await store.runs.get(localChat('chat').ownerId, runId))?.deaths).toBeUndefined()
    before.letGo()
    after.letGo()
  })

  test('when a node closes, another one goes on at its next beat, without waiting until the first one is dead', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const { agent } = begun()
    const first = await createThroughline({ store, agents: [agent], logger: silent, drainMs: 0 })
    await using second = await handNode({ store, agents: [idle] })
    await first.send({ ownerId: 'local', chatId: 'chat', text: 'Hello?' })
    await untilWritten(store, 'I begin.')
    await first.close()
    expect(await endsOf(store)).toEqual([])
    await second.node.beat()
    await second.node.sweep()
    expect(await endsOf(store)).toHaveLength(1)
    expect(JSON.stringify(await entriesOf(store.log))).not.toContain('shut down')
  })

  test('when the last node closes, its runs end', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const { agent } = begun()
    const only = await createThroughline({ store, agents: [agent], logger: silent, drainMs: 0 })
    await only.send({ ownerId: 'local', chatId: 'chat', text: 'Hello?' })
    await only.close()
    expect(await endsOf(store)).toMatchObject([{ type: 'abort', reason: 'The server was shut down.' }])
    expect(await store.runs.unfinished()).toEqual([])
  })

  test('the nodes that are left share the runs of a dead one, and each run is taken once', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const { agent } = begun()
    await using first = await handNode({ store, agents: [agent] })
    const chatIds = Array.from({ length: 30 }, (_, index) => `chat-${index}`)
    await Promise.all(chatIds.map(chatId => first.send(chatId)))
    shared.pass(15_000)
    await using second = await handNode({ store, agents: [idle] })
    await using third = await handNode({ store, agents: [idle] })
    await Promise.all([second.node.sweep(), third.node.sweep()])
    expect(await store.runs.unfinished()).toEqual([])
    for (const chatId of chatIds) expect(await endsOf(store, chatId)).toHaveLength(1)
    expect(await store.nodes.live()).toEqual(new Set([second.node.id, third.node.id]))
    expect(await second.node.hasOthers()).toBe(true)
  })
})
