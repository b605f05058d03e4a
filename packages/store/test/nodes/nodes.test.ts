import { sharedStores } from '@throughline/testing/store/shared-store'
import { startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('a node is alive for 15 seconds after its beat, by the clock of the database', async () => {
    await using shared = await sharedStore()
    const { nodes } = shared.store
    await nodes.beat('a')
    shared.pass(14_999)
    expect(await nodes.live()).toEqual(new Set(['a']))
    shared.pass(1)
    expect(await nodes.live()).toEqual(new Set())
  })

  test('a beat tells whether another node is dead, and how long ago the beat before was', async () => {
    await using shared = await sharedStore()
    const { nodes } = shared.store
    await nodes.beat('a')
    expect(await nodes.beat('b')).toEqual({ isSomeoneDead: false, silentMs: 0 })
    shared.pass(10_000)
    expect(await nodes.beat('b')).toEqual({ isSomeoneDead: false, silentMs: 10_000 })
    shared.pass(5_000)
    expect(await nodes.beat('b')).toEqual({ isSomeoneDead: true, silentMs: 5_000 })
  })

  test('a node that resigns is dead at once, and alive again with its next beat', async () => {
    await using shared = await sharedStore()
    const { nodes } = shared.store
    await nodes.beat('a')
    await nodes.resign('a')
    expect(await nodes.live()).toEqual(new Set())
    await nodes.beat('a')
    expect(await nodes.live()).toEqual(new Set(['a']))
  })

  test('a dead node is forgotten when no run names it any more', async () => {
    await using shared = await sharedStore()
    const { nodes, runs, runOwners } = shared.store
    const run = testRun('run')
    await nodes.beat('dead')
    await runs.claim(run, { ...startOf(run), nodeId: 'dead' })
    shared.pass(15_000)
    await nodes.beat('b')
    expect(await nodes.removeDead()).toBe(0)
    await runOwners.takeOrphans('b', 10)
    expect(await nodes.removeDead()).toBe(1)
    expect(await nodes.beat('b')).toMatchObject({ isSomeoneDead: false })
  })
})

test.each(temporaryStores)(
  'without another clock, the database tells the time, on $name',
  async ({ temporaryStore }) => {
    await using context = await temporaryStore()
    const { nodes } = context.store
    await nodes.beat('a')
    expect(await nodes.live()).toEqual(new Set(['a']))
  },
)
