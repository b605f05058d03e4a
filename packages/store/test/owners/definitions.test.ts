import { ada, at, bob } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { DefinitionDraft } from '../../src/owners/definitions.ts'

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('a definition is found as it was made, in version 1', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    expect(await definitions.get(ada, { name: 'writer' })).toBeUndefined()
    const made = await definitions.create(ada, draft('writer'))
    expect(made).toEqual({ ...draft('writer'), version: 1 })
    expect(await definitions.get(ada, { name: 'writer' })).toEqual(made)
    expect(await definitions.list(ada)).toEqual([made])
  })

  test('a definition outlives the process', async () => {
    await using context = await temporaryStore()
    await context.store.definitions.create(ada, draft('writer', { enabled: false }))
    await context.store.close()
    const again = await context.reopen()
    expect(await again.definitions.list(ada)).toEqual([
      { ...draft('writer', { enabled: false }), version: 1 },
    ])
    await again.close()
  })

  test('a name is taken in its workspace only', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    await definitions.create(ada, draft('writer'))
    expect(await definitions.create(ada, draft('writer', { id: 'other' }))).toBeUndefined()
    const local = draft('writer', { id: 'local', workspaceId: 'work' })
    expect(await definitions.create(ada, local)).toEqual({ ...local, version: 1 })
    expect(await definitions.get(ada, { name: 'writer' })).toMatchObject({ id: 'id-of-writer' })
    expect(await definitions.get(ada, { name: 'writer', workspaceId: 'work' })).toMatchObject({ id: 'local' })
    expect(await definitions.get(ada, { name: 'writer', workspaceId: 'home' })).toBeUndefined()
  })

  test('definitions are listed by name', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    for (const name of ['b', 'c', 'a']) await definitions.create(ada, draft(name))
    expect((await definitions.list(ada)).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  test('each change makes the version one higher', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    await definitions.create(ada, draft('writer'))
    const fields = { systemPrompt: '量子 🧪 "quoted" -- \'; drop table sub_agents', toolKeys: ['a'] }
    const changed = draft('writer', { fields, enabled: false, updatedAt: at(5) })
    expect(await definitions.update(ada, changed, { version: 1 })).toEqual({ ...changed, version: 2 })
    expect(await definitions.update(ada, changed, { version: 2 })).toMatchObject({ version: 3 })
    expect(await definitions.get(ada, changed)).toEqual({ ...changed, version: 3 })
  })

  test('a change of a version that is no longer there changes nothing', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    expect(await definitions.update(ada, draft('writer'), { version: 1 })).toBeUndefined()
    await definitions.create(ada, draft('writer'))
    const first = draft('writer', { fields: { systemPrompt: 'first' } })
    const second = draft('writer', { fields: { systemPrompt: 'second' } })
    const results = await Promise.all([
      definitions.update(ada, first, { version: 1 }),
      definitions.update(ada, second, { version: 1 }),
    ])
    const [winner, ...none] = results.filter(result => result !== undefined)
    expect(none).toEqual([])
    expect(await definitions.get(ada, { name: 'writer' })).toEqual(winner)
  })

  test('a definition that was removed and made again is not the one that was read before', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    await definitions.create(ada, draft('writer'))
    expect(await definitions.remove(ada, { name: 'writer' })).toBe(true)
    expect(await definitions.remove(ada, { name: 'writer' })).toBe(false)
    await definitions.create(ada, draft('writer', { id: 'again' }))
    expect(await definitions.update(ada, draft('writer'), { version: 1 })).toBeUndefined()
  })

  test('bob neither sees nor changes what is ada’s, and may use the same names and ids', async () => {
    await using context = await temporaryStore()
    const { definitions } = context.store
    const made = await definitions.create(ada, draft('writer'))
    expect(await definitions.list(bob)).toEqual([])
    expect(await definitions.get(bob, { name: 'writer' })).toBeUndefined()
    expect(await definitions.update(bob, draft('writer', { enabled: false }), { version: 1 })).toBeUndefined()
    expect(await definitions.remove(bob, { name: 'writer' })).toBe(false)
    expect(await definitions.create(bob, draft('writer', { enabled: false }))).toMatchObject({ version: 1 })
    expect(await definitions.remove(bob, { name: 'writer' })).toBe(true)
    expect(await definitions.list(ada)).toEqual([made])
  })

  function draft(name: string, change: Partial<DefinitionDraft> = {}): DefinitionDraft {
    const fields = { description: 'Writes.', systemPrompt: 'You write.' }
    return { id: `id-of-${name}`, name, enabled: true, fields, updatedAt: at(0), ...change }
  }
})
