import type { NodeBeat } from '@throughline/store/testing'
import { expect, test } from 'vitest'
import { Pulse } from '../../src/nodes/pulse.ts'

function beatOf({ isSomeoneDead = false, silentMs = 3_000 }: Partial<NodeBeat>): NodeBeat {
  return { isSomeoneDead, silentMs }
}

test('a node may act for 10 seconds after it sent its last beat that came through', async () => {
  let nowMs = 0
  let beat = async () => beatOf({})
  const pulse = new Pulse({ nodes: { beat: () => beat() }, nodeId: 'a', clock: () => nowMs })
  expect(pulse.isFelt).toBe(false)
  const slow = Promise.withResolvers<NodeBeat>()
  beat = () => slow.promise
  const sent = pulse.beat()
  nowMs = 4_000
  slow.resolve(beatOf({}))
  await sent
  nowMs = 10_000
  expect(pulse.isFelt).toBe(true)
  nowMs = 10_001
  expect(pulse.isFelt).toBe(false)
  beat = async () => Promise.reject(new Error('The database is down.'))
  await expect(pulse.beat()).rejects.toThrow('down')
  expect(pulse.isFelt).toBe(false)
  beat = async () => beatOf({ isSomeoneDead: true })
  expect(await pulse.beat()).toBe(true)
  expect(pulse.isFelt).toBe(true)
})

test('after a silence, a node gives the others time to beat before it takes their runs', async () => {
  let nowMs = 0
  let silentMs = 0
  const nodes = { beat: async () => beatOf({ silentMs, isSomeoneDead: true }) }
  const pulse = new Pulse({ nodes, nodeId: 'a', clock: () => nowMs })
  expect(pulse.mayTakeRuns).toBe(false)
  await pulse.beat()
  expect(pulse.mayTakeRuns).toBe(true)
  // The database was away, or its clock has jumped.
  silentMs = 20_000
  await pulse.beat()
  expect(pulse.mayTakeRuns).toBe(false)
  silentMs = 3_000
  nowMs = 5_999
  await pulse.beat()
  expect(pulse.mayTakeRuns).toBe(false)
  nowMs = 6_000
  expect(pulse.mayTakeRuns).toBe(true)
})

test('a beat that fails begins the time anew that others have, because they could not beat either', async () => {
  let nowMs = 0
  let isAway = false
  const beat = () =>
    isAway ? Promise.reject(new Error('The database is away.')) : Promise.resolve(beatOf({}))
  const pulse = new Pulse({ nodes: { beat }, nodeId: 'a', clock: () => nowMs })
  async function beatAt(ms: number): Promise<void> {
    nowMs = ms
    await pulse.beat().catch(() => undefined)
  }
  await beatAt(0)
  expect(pulse.mayTakeRuns).toBe(true)
  // This node beats between two times without the database, which are both short. Another one may be silent in both.
  isAway = true
  await beatAt(3_000)
  isAway = false
  await beatAt(6_000)
  expect(pulse.pauseMs).toBe(3_000)
  isAway = true
  await beatAt(9_000)
  expect(pulse.pauseMs).toBe(1_000)
  isAway = false
  await beatAt(13_000)
  nowMs = 18_999
  expect(pulse.mayTakeRuns).toBe(false)
  await beatAt(19_000)
  expect(pulse.mayTakeRuns).toBe(true)
})

test('a node was cut off when it tried to beat all the time, and not when its process stood still', async () => {
  let nowMs = 0
  let isAway = false
  const beat = () =>
    isAway ? Promise.reject(new Error('The database is away.')) : Promise.resolve(beatOf({}))
  const pulse = new Pulse({ nodes: { beat }, nodeId: 'a', clock: () => nowMs })
  async function beatAt(ms: number): Promise<void> {
    nowMs = ms
    await pulse.beat().catch(() => undefined)
  }
  await beatAt(0)
  await beatAt(16_000)
  expect(pulse.wasCutOff).toBe(false)
  isAway = true
  for (const ms of [19_000, 26_000, 33_000]) await beatAt(ms)
  isAway = false
  await beatAt(36_000)
  expect(pulse.wasCutOff).toBe(true)
  pulse.forgetCutOff()
  await beatAt(39_000)
  expect(pulse.wasCutOff).toBe(false)
})

test('a beat that hangs on a dead connection is given up, and the next one is felt', async () => {
  let beat = () => new Promise<NodeBeat>(() => undefined)
  const pulse = new Pulse({ nodes: { beat: () => beat() }, nodeId: 'a', clock: () => 0, maxBeatMs: 10 })
  await expect(pulse.beat()).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(pulse.isFelt).toBe(false)
  beat = async () => beatOf({})
  await pulse.beat()
  expect(pulse.isFelt).toBe(true)
})
