import { type SharedStore, sharedStores } from '@throughline/testing/store/shared-store'
import { ada, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'

/** Claims a run in a chat of its own for a node. */
async function claimed({ store }: SharedStore, id: string, nodeId: string) {
  const run = testRun(id, { chatId: `chat-${id}` })
  expect(await store.runs.claim(run, { ...startOf(run), nodeId })).toBe(true)
  return run
}

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('the runs of a live node are left alone', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners } = shared.store
    await nodes.beat('a')
    await claimed(shared, 'run', 'a')
    shared.pass(14_999)
    expect((await runOwners.takeOrphans('b', 10)).runs).toEqual([])
  })

  test('the runs of a dead node, of an unknown one and of none go to the node that asks first', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners } = shared.store
    await nodes.beat('dead')
    const left = [
      await claimed(shared, 'run-1', 'dead'),
      await claimed(shared, 'run-2', 'unknown'),
      await claimed(shared, 'run-3', ''),
    ]
    shared.pass(15_000)
    await nodes.beat('b')
    await nodes.beat('c')
    const [b, c] = await Promise.all([runOwners.takeOrphans('b', 10), runOwners.takeOrphans('c', 10)])
    expect(new Set([...b.runs, ...c.runs].map(({ id }) => id))).toEqual(new Set(left.map(({ id }) => id)))
    expect(b.runs.length * c.runs.length).toBe(0)
  })

  test('nodes that ask for the same orphans at once take each of them once', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners } = shared.store
    const ids = ['a', 'b', 'c', 'd']
    for (const id of ids) await nodes.beat(id)
    for (let round = 0; round < 60; round += 1) {
      const left = [
        await claimed(shared, `run-${round}-1`, 'dead'),
        await claimed(shared, `run-${round}-2`, ''),
      ]
      const taken = await Promise.all(ids.map(id => runOwners.takeOrphans(id, 10)))
      expect(taken.flatMap(({ runs }) => runs.map(({ id }) => id)).sort()).toEqual(left.map(({ id }) => id))
    }
  })

  test('a node takes no more orphans than it asks for', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners } = shared.store
    for (const id of ['run-1', 'run-2', 'run-3']) await claimed(shared, id, '')
    await nodes.beat('a')
    await nodes.beat('b')
    expect((await runOwners.takeOrphans('a', 2)).runs).toHaveLength(2)
    expect((await runOwners.takeOrphans('b', 2)).runs).toHaveLength(1)
    expect(await runOwners.runsOf('a')).toHaveLength(2)
  })

  test('a run that has ended is no orphan', async () => {
    await using shared = await sharedStore()
    const { runs, runOwners } = shared.store
    const run = await claimed(shared, 'run', '')
    await runs.end(run, endOf(run, [], { seq: 0 }))
    expect((await runOwners.takeOrphans('b', 10)).runs).toEqual([])
  })

  test('a node frees its own runs only', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners } = shared.store
    await nodes.beat('a')
    const run = await claimed(shared, 'run', 'a')
    await runOwners.free('b', run)
    expect(await runOwners.hasRunIn(run, 'a')).toBe(true)
    await runOwners.free('a', run)
    expect(await runOwners.hasRunIn(run, 'a')).toBe(false)
    expect((await runOwners.takeOrphans('b', 10)).runs).toEqual([run])
  })

  test('the runs of a chat that is being removed are not given to anybody', async () => {
    await using shared = await sharedStore()
    const { chats, runOwners } = shared.store
    const run = await claimed(shared, 'run', '')
    const removed = chats.remove({ ownerId: ada, chatId: run.chatId }, run.startedAt)
    expect((await runOwners.takeOrphans('b', 10)).runs).toEqual([])
    await removed
  })
})
