import { sharedStores } from '@throughline/testing/store/shared-store'
import { temporaryPostgresStore } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('a key is made once, and each name has its own', async () => {
    await using shared = await sharedStore()
    const { sharedKeys } = shared.store
    const key = await sharedKeys.of('tickets')
    expect(key).toHaveLength(32)
    expect(await sharedKeys.of('tickets')).toEqual(key)
    expect(await sharedKeys.of('others')).not.toEqual(key)
  })
})

test('processes that ask at the same moment get the same key', async () => {
  await using fixture = await temporaryPostgresStore()
  const other = await fixture.reopen()
  const asked = Array.from({ length: 10 }, (_, index) =>
    (index % 2 === 0 ? fixture.store : other).sharedKeys.of('tickets'),
  )
  const keys = (await Promise.all(asked)).map(key => key.toString('hex'))
  expect(new Set(keys).size).toBe(1)
})
