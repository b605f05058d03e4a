import { ada, adasChat, bob, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'
import type { UsageShare } from '../../src/owners/usage-days.ts'

const priced: UsageShare = { agent: 'master', model: 'a:1', inputTokens: 100, outputTokens: 10, cost: 0.1 }
const unpriced: UsageShare = {
  agent: 'weather',
  model: 'b:2',
  inputTokens: 5,
  outputTokens: 2,
  cost: undefined,
}

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('what runs have used is added up by day, agent and model', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await run(store, 'one', { at: '2026-11-15T23:59:59.999Z', usage: [priced, unpriced] })
    await run(store, 'two', { at: '2026-11-16T00:00:00.000Z', usage: [{ ...priced, cost: 0.2 }] })
    await run(store, 'three', { at: '2026-11-16T12:00:00.000Z', usage: [unpriced, priced] })
    const found = await store.usageDays.since(ada, '2026-11-15')
    const none = { cost: 0, unpricedTokens: 7 }
    expect(found).toEqual([
      { ...priced, day: '2026-11-15', unpricedTokens: 0 },
      { ...unpriced, ...none, day: '2026-11-15' },
      // Not 0.30000000000000004.
      { ...priced, day: '2026-11-16', inputTokens: 200, outputTokens: 20, cost: 0.3, unpricedTokens: 0 },
      { ...unpriced, ...none, day: '2026-11-16' },
    ])
    expect(await store.usageDays.since(ada, '2026-11-16')).toEqual(found.slice(2))
    expect(await store.usageDays.since(ada, '2026-11-17')).toEqual([])
    expect(await store.usageDays.since(bob, '2026-11-15')).toEqual([])
  })

  test('a run that ends twice is counted once, and stays counted when its chat is deleted', async () => {
    await using context = await temporaryStore()
    const { store } = context
    const only = testRun('only')
    await store.runs.claim(only, startOf(only))
    const end = { ...endOf(only, [], { seq: 0 }), at: '2026-11-16T00:00:00.000Z', usage: [priced] }
    const ends = await Promise.all([store.runs.end(only, end), store.runs.end(only, end)])
    expect(ends.toSorted()).toEqual([false, true])
    await store.chats.remove(adasChat, end.at)
    const [day, ...others] = await store.usageDays.since(ada, '2026-11-16')
    expect([day?.inputTokens, others]).toEqual([100, []])
  })

  test('runs that end at the same moment are all counted', async () => {
    await using context = await temporaryStore()
    const { store } = context
    const names = Array.from({ length: 8 }, (_, index) => `run-${index}`)
    await Promise.all(
      names.map((name, index) => {
        const usage = index % 2 === 0 ? [priced, unpriced] : [unpriced, priced]
        return run(store, name, { at: '2026-11-16T00:00:00.000Z', usage })
      }),
    )
    const found = await store.usageDays.since(ada, '2026-11-16')
    expect(found.map(({ inputTokens }) => inputTokens)).toEqual([800, 40])
  })

  test('the database is told with its version', async () => {
    await using context = await temporaryStore()
    const { kind, version } = await context.store.facts()
    expect([kind === 'postgres', /^\d+\.\d+/.test(version)]).toEqual([context.store.isShared, true])
  })
})

async function run(
  store: Store,
  id: string,
  { at, usage }: { readonly at: string; readonly usage: readonly UsageShare[] },
): Promise<void> {
  const begun = testRun(id, { chatId: id })
  await store.runs.claim(begun, startOf(begun))
  await store.runs.end(begun, { ...endOf(begun, [], { seq: 0 }), at, usage })
}
