import { logName } from '@throughline/log'
import type { Chunk } from '@throughline/protocol'
import { sharedStore } from '@throughline/testing/store/shared-store'
import { startOf, testRun } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { ownedLog } from '../../src/nodes/owned-log.ts'

const run = testRun('run')
const name = logName(run)
const chunk: Chunk = { type: 'start-step' }
const draft = { runId: run.id, messageId: run.answerId, chunk }
const fenced = { code: 'fenced' }

async function claimedByA() {
  const shared = await sharedStore()
  const { store } = shared
  await store.nodes.beat('a')
  await store.runs.claim(run, { ...startOf(run), nodeId: 'a' })
  return Object.assign(shared, { log: ownedLog({ ...store, nodeId: 'a' }) })
}

test('a node gets the lease of a run that has its name, and writes', async () => {
  await using world = await claimedByA()
  const lease = await world.log.acquire(name)
  expect(await world.log.append(lease, 0, [draft])).toMatchObject([{ seq: 1 }])
  expect(await world.log.read(name, { ...lease.head, seq: 0 }, 10)).toHaveLength(1)
})

test('a node that claimed a run and was then paused cannot begin it after another node took it', async () => {
  await using world = await claimedByA()
  world.pass(15_000)
  await world.store.nodes.beat('b')
  await world.store.runOwners.takeOrphans('b', 10)
  await expect(world.log.acquire(name)).rejects.toMatchObject(fenced)
})

test('a run that is disowned cannot write, until the node has taken it again', async () => {
  await using world = await claimedByA()
  const lease = await world.log.acquire(name)
  world.log.disown(run.id)
  await expect(world.log.append(lease, 0, [draft])).rejects.toMatchObject(fenced)
  world.log.own(run.id)
  expect(await world.log.append(lease, 0, [draft])).toMatchObject([{ seq: 1 }])
})

test('a node that closes begins no run, and those that go on may still write', async () => {
  await using world = await claimedByA()
  const lease = await world.log.acquire(name)
  world.log.refuseNew()
  await expect(world.log.acquire(name)).rejects.toMatchObject(fenced)
  expect(await world.log.append(lease, 0, [draft])).toMatchObject([{ seq: 1 }])
})

test('a node that has lost a run does not take the lease from the node that has it', async () => {
  await using world = await claimedByA()
  world.pass(15_000)
  await world.store.nodes.beat('b')
  await world.store.runOwners.takeOrphans('b', 10)
  const lease = await world.store.log.acquire(name)
  await expect(world.log.acquire(name)).rejects.toMatchObject(fenced)
  expect(await world.store.log.append(lease, 0, [draft])).toMatchObject([{ seq: 1 }])
})
