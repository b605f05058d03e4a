import { sharedStores } from '@throughline/testing/store/shared-store'
import { describe, expect, test } from 'vitest'

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('one node has a job, and others get it 15 seconds after it was renewed for the last time', async () => {
    await using shared = await sharedStore()
    const { jobLeases } = shared.store
    expect(await jobLeases.take('poll', 'a')).toBe(1)
    expect(await jobLeases.take('poll', 'b')).toBeUndefined()
    shared.pass(14_999)
    expect(await jobLeases.take('poll', 'a')).toBe(1)
    shared.pass(14_999)
    expect(await jobLeases.take('poll', 'b')).toBeUndefined()
    shared.pass(1)
    expect(await jobLeases.take('poll', 'b')).toBe(2)
    expect(await jobLeases.take('poll', 'a')).toBeUndefined()
  })

  test('a job that is given back can be taken at once; only its holder can give it back', async () => {
    await using shared = await sharedStore()
    const { jobLeases } = shared.store
    await jobLeases.take('poll', 'a')
    await jobLeases.giveBack('poll', 'b')
    expect(await jobLeases.take('poll', 'b')).toBeUndefined()
    await jobLeases.giveBack('poll', 'a')
    expect(await jobLeases.take('poll', 'b')).toBe(2)
  })

  test('each job has its own lease', async () => {
    await using shared = await sharedStore()
    const { jobLeases } = shared.store
    expect(await jobLeases.take('one', 'a')).toBe(1)
    expect(await jobLeases.take('other', 'b')).toBe(1)
  })
})
