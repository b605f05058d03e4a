import { type SharedStore, sharedStores } from '@throughline/testing/store/shared-store'
import { ada, at, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'

/** Claims a run in a chat of its own for a node that is alive. */
async function claimed({ store }: SharedStore, id: string, nodeId: string) {
  const run = testRun(id, { chatId: `chat-${id}` })
  if (nodeId !== '') await store.nodes.beat(nodeId)
  await store.runs.claim(run, { ...startOf(run), nodeId })
  return run
}

/** Lets nodes die one after the other. Each next one takes over what the one before has left. */
async function diesOn({ store, pass }: SharedStore, nodeIds: readonly string[], last: string) {
  for (const nodeId of [...nodeIds.slice(1), last]) {
    pass(15_000)
    await store.nodes.beat(nodeId)
    await store.runOwners.takeOrphans(nodeId, 10)
  }
  return store.runOwners.runsOf(last)
}

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('a run counts the nodes that died while they worked on it', async () => {
    await using shared = await sharedStore()
    const run = await claimed(shared, 'run', 'a')
    expect(await diesOn(shared, ['a', 'b'], 'c')).toEqual([{ ...run, deaths: ['a', 'b'] }])
  })

  test('a node that resigned, one that freed its runs and no node at all are no death', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners } = shared.store
    const runs = [
      await claimed(shared, 'run-1', 'resigns'),
      await claimed(shared, 'run-2', 'frees'),
      await claimed(shared, 'run-3', ''),
    ]
    await nodes.resign('resigns')
    await runOwners.freeAll('frees')
    await nodes.beat('b')
    expect(new Set((await runOwners.takeOrphans('b', 10)).runs)).toEqual(new Set(runs))
  })

  test('a run that waits goes to one node only, and only by its turn', async () => {
    await using shared = await sharedStore()
    const { runOwners, runQuarantine } = shared.store
    await claimed(shared, 'run', 'a')
    const [run] = await diesOn(shared, ['a'], 'b')
    await runQuarantine.put('b', run ?? testRun('none'))
    expect((await runOwners.takeOrphans('c', 10)).runs).toEqual([])
    expect(await runQuarantine.countWaiting()).toBe(1)
    const taken = await Promise.all([runQuarantine.takeNext('c'), runQuarantine.takeNext('d')])
    expect(taken.filter(one => one !== undefined)).toEqual([{ ...run, quarantine: 'inside' }])
    expect(await runQuarantine.countWaiting()).toBe(0)
  })

  test('the run with the most deaths comes first, then the one that began first', async () => {
    await using shared = await sharedStore()
    const { runOwners, runQuarantine } = shared.store
    await claimed(shared, 'most', 'a')
    await diesOn(shared, ['a'], 'b')
    await claimed(shared, 'later', 'b')
    for (const run of await diesOn(shared, ['b'], 'c')) await runQuarantine.put('c', run)
    expect((await runQuarantine.takeNext('d'))?.id).toBe('most')
    expect((await runQuarantine.takeNext('d'))?.id).toBe('later')
    expect(await runOwners.runsOf('d')).toHaveLength(2)
  })

  test('a run whose end was asked for does not wait', async () => {
    await using shared = await sharedStore()
    const { runs, runOwners, runQuarantine } = shared.store
    await claimed(shared, 'run', 'a')
    const [run] = await diesOn(shared, ['a'], 'b')
    await runQuarantine.put('b', run ?? testRun('none'))
    await runs.requestStop({ ownerId: ada, id: testRun('run').id }, { by: 'user', at: at(1) })
    expect((await runOwners.takeOrphans('c', 10)).runs).toMatchObject([{ stopRequestedBy: 'user' }])
  })

  test('only a death inside is remembered as one, and a run that leaves keeps its deaths', async () => {
    await using shared = await sharedStore()
    const { nodes, runOwners, runQuarantine } = shared.store
    await claimed(shared, 'run', 'a')
    const [run = testRun('none')] = await diesOn(shared, ['a'], 'b')
    await runQuarantine.put('b', run)
    await runQuarantine.takeNext('b')
    expect(await diesOn(shared, ['b'], 'c')).toMatchObject([{ deaths: ['a', 'b'], quarantine: 'inside' }])
    await runQuarantine.release('c', run)
    const [left] = await diesOn(shared, ['c'], 'd')
    expect(left).toEqual({ ...run, deaths: ['a', 'b', 'c'] })
    await runQuarantine.put('d', left ?? run)
    await runQuarantine.takeNext('d')
    await nodes.resign('d')
    await nodes.beat('e')
    expect((await runOwners.takeOrphans('e', 10)).runs).toEqual([left])
  })

  test('a run was alone when no other run that goes on was on its node', async () => {
    await using shared = await sharedStore()
    const { runOwners, runQuarantine, runs } = shared.store
    const run = await claimed(shared, 'run', 'a')
    const other = await claimed(shared, 'other', 'a')
    shared.pass(15_000)
    await shared.store.nodes.beat('b')
    await runOwners.takeOrphans('b', 1)
    expect(await runQuarantine.wasAlone(run, 'a')).toBe(false)
    expect(await runQuarantine.wasAlone(other, 'a')).toBe(false)
    await runs.end(other, endOf(other, [], { seq: 0 }))
    expect(await runQuarantine.wasAlone(run, 'a')).toBe(true)
  })

  test('a run that has ended for its deaths explains them for all others, also for those that nobody has taken yet', async () => {
    await using shared = await sharedStore()
    const { nodes, runs, runOwners, runQuarantine } = shared.store
    const guilty = await claimed(shared, 'guilty', 'a')
    await claimed(shared, 'innocent', 'a')
    await claimed(shared, 'later', 'b')
    shared.pass(15_000)
    await nodes.beat('c')
    const taken = (await runOwners.takeOrphans('c', 10)).runs
    for (const run of taken) if (run.id !== guilty.id) await runQuarantine.put('c', run)
    await claimed(shared, 'untaken', 'a')
    shared.pass(15_000)
    await runs.end(guilty, { ...endOf(guilty, [], { seq: 0 }), status: 'interrupted' })
    await runQuarantine.explain({ ...guilty, deaths: ['a'] })
    await nodes.beat('d')
    const free = (await runOwners.takeOrphans('d', 10)).runs
    expect(free.map(({ id, deaths }) => [id, deaths]).sort()).toEqual([
      ['innocent', undefined],
      ['untaken', undefined],
    ])
    expect(await runQuarantine.countWaiting()).toBe(1)
    expect(await runQuarantine.lastEnded(10)).toMatchObject([
      { id: 'guilty', chatId: 'chat-guilty', agent: 'master' },
    ])
  })

  test('a node that has not died takes its death back, and the run that waits for it goes on', async () => {
    await using shared = await sharedStore()
    const { runOwners, runQuarantine } = shared.store
    await claimed(shared, 'run', 'a')
    const [run = testRun('none')] = await diesOn(shared, ['a', 'b'], 'c')
    await runQuarantine.put('c', run)
    expect((await runOwners.takeOrphans('c', 10)).runs).toEqual([])
    await runQuarantine.takeBackDeath('a')
    expect((await runOwners.takeOrphans('c', 10)).runs).toMatchObject([{ id: 'run', deaths: ['b'] }])
  })

  test('a run whose deaths were explained since it was read does not wait', async () => {
    await using shared = await sharedStore()
    const { runOwners, runQuarantine } = shared.store
    await claimed(shared, 'run', 'a')
    const [run = testRun('none')] = await diesOn(shared, ['a'], 'b')
    await runQuarantine.explain({ ...testRun('guilty'), deaths: ['a'] })
    await runQuarantine.put('b', run)
    expect((await runOwners.takeOrphans('c', 10)).runs.map(({ id }) => id)).toEqual(['run'])
  })
})
