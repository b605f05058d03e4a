import type { Beat } from '@throughline/store/nodes'
import { expect, test } from 'vitest'
import { Pulse } from '../../src/nodes/pulse.ts'

function beatOf({ isSomeoneDead = false, silentMs = 3_000 }: Partial<Beat>): Beat {
  return { isSomeoneDead, silentMs }
}

test('a node may act for 10 seconds after it sent its last beat that came through', async () => {
  let nowMs = 0
  let beat = async () => beatOf({})
  const pulse = new Pulse({ nodes: { beat: () => beat() }, nodeId: 'a', clock: () => nowMs })
  expect(pulse.isFelt).toBe(false)
  const slow = Promise.withResolvers<Beat>()
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

test('a beat that hangs on a dead connection is given up, and the next one is felt', async () => {
  let beat = () => new Promise<Beat>(() => undefined)
  const pulse = new Pulse({ nodes: { beat: () => beat() }, nodeId: 'a', clock: () => 0, maxBeatMs: 10 })
  await expect(pulse.beat()).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(pulse.isFelt).toBe(false)
  beat = async () => beatOf({})
  await pulse.beat()
  expect(pulse.isFelt).toBe(true)
})
