import { expect, test } from 'vitest'
import { Pulse } from '../../src/nodes/pulse.ts'

test('a node may act for 10 seconds after it sent its last beat that came through', async () => {
  let nowMs = 0
  let beat = async () => false
  const pulse = new Pulse({ nodes: { beat: () => beat() }, nodeId: 'a', clock: () => nowMs })
  expect(pulse.isFelt).toBe(false)
  const slow = Promise.withResolvers<boolean>()
  beat = () => slow.promise
  const sent = pulse.beat()
  nowMs = 4_000
  slow.resolve(false)
  await sent
  nowMs = 10_000
  expect(pulse.isFelt).toBe(true)
  nowMs = 10_001
  expect(pulse.isFelt).toBe(false)
  beat = async () => Promise.reject(new Error('The database is down.'))
  await expect(pulse.beat()).rejects.toThrow('down')
  expect(pulse.isFelt).toBe(false)
  beat = async () => true
  expect(await pulse.beat()).toBe(true)
  expect(pulse.isFelt).toBe(true)
})
