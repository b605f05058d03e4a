import { sharedStores } from '@throughline/testing/store/shared-store'
import { ada, bob } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('a sign-in belongs to one person and one server', async () => {
    await using shared = await sharedStore()
    const { mcpSignIns } = shared.store
    const key = { ownerId: ada, server: 'tickets' }
    expect(await mcpSignIns.replace(key, { previous: undefined, body: 'one' })).toBe(true)
    expect(await mcpSignIns.read(key)).toBe('one')
    expect(await mcpSignIns.read({ ...key, ownerId: bob })).toBeUndefined()
    expect(await mcpSignIns.read({ ...key, server: 'files' })).toBeUndefined()
  })

  test('what another process has changed meanwhile is neither replaced nor removed', async () => {
    await using shared = await sharedStore()
    const { mcpSignIns } = shared.store
    const key = { ownerId: bob, server: 'tickets' }
    const change = (previous: string | undefined, body: string | undefined) =>
      mcpSignIns.replace(key, { previous, body })
    expect(await change('old', 'new')).toBe(false)
    expect(await change(undefined, 'one')).toBe(true)
    expect(await change(undefined, 'two')).toBe(false)
    expect(await change('old', undefined)).toBe(false)
    expect(await change(undefined, undefined)).toBe(false)
    expect(await change('one', 'two')).toBe(true)
    expect(await mcpSignIns.read(key)).toBe('two')
    expect(await change('two', undefined)).toBe(true)
    expect(await mcpSignIns.read(key)).toBeUndefined()
    expect(await change(undefined, undefined)).toBe(true)
  })
})
