import { isEndChunk } from '@throughline/protocol/entry'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { localChat } from '@throughline/testing/store/left-runs'
import { sharedStores } from '@throughline/testing/store/shared-store'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'
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
    const second = await createThroughline({ store: shared.store, agents: [idle], logger: silent })
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

  test('when a node closes, another one goes on at its next beat, without waiting until the first one is dead', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    const { agent } = begun()
    const first = await createThroughline({ store, agents: [agent], logger: silent })
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
    const only = await createThroughline({ store, agents: [agent], logger: silent })
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
