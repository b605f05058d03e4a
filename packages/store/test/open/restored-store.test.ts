import { logName } from '@throughline/log'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { textDraft } from '@throughline/testing/log/log-drafts'
import { restorableStores } from '@throughline/testing/store/restorable-store'
import { ada, adasChat, testChat } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'
import { renewStore } from '../../src/renew-store.ts'

const log = logName(adasChat)

/** Writes some entries. Returns where the log ends then. */
async function write(store: Store, ...texts: readonly string[]) {
  const lease = await store.log.acquire(log)
  const entries = await appendAtEnd(
    store.log,
    lease,
    texts.map(text => textDraft(text)),
  )
  return { position: { ...lease.head, seq: lease.head.seq + texts.length }, entries }
}

describe.each(restorableStores)(
  'a store that was restored from a backup, on $name',
  ({ restorableStore }) => {
    test('knows no position of the time before, so that nobody takes new entries for those that were lost', async () => {
      await using context = await restorableStore()
      const first = await write(context.store, 'one', 'two')
      await context.backUp()
      const lost = await write(context.store, 'lost', 'lost, too')
      expect(lost.position).toEqual({ ...first.position, seq: 4 })
      await context.restore()
      const { store } = context
      const second = await write(store, 'three', 'four', 'five')
      for (const position of [first.position, lost.position])
        await expect(store.log.read(log, position, 10)).rejects.toMatchObject({ code: 'unknown-position' })
      const { position } = second
      expect(await store.log.open(log)).toEqual(position)
      expect(await store.log.read(log, { ...position, seq: 0 }, 10)).toEqual([
        ...first.entries,
        ...second.entries,
      ])
    })

    test('keeps the new positions when it is opened again, and has other ones when it is restored again', async () => {
      await using context = await restorableStore()
      await write(context.store, 'one')
      await context.backUp()
      const epochs = new Set<string>()
      for (const text of ['two', 'another two', 'and one more']) {
        await context.restore()
        const { position } = await write(context.store, text)
        epochs.add(position.epoch)
        await context.reopen()
        expect(await context.store.log.open(log)).toEqual(position)
      }
      expect(epochs.size).toBe(3)
    })

    test('has delivered to channels what it had before', async () => {
      await using context = await restorableStore()
      const { position } = await write(context.store, 'one', 'two')
      await context.store.channelChats.tie(ada, testChat(), { channel: 'telegram', target: '5' })
      await context.store.outbox.advance(adasChat, position)
      await context.backUp()
      await context.restore()
      const { store } = context
      await store.log.open(log)
      expect(await store.channelChats.undelivered()).toEqual([])
      await write(store, 'three')
      expect(await store.channelChats.undelivered()).toHaveLength(1)
    })
  },
)

describe.each(restorableStores)('a store that is renewed, on $name', ({ restorableStore }) => {
  test('has all its entries under other positions, and keeps these', async () => {
    await using context = await restorableStore()
    const { position, entries } = await write(context.store, 'one', 'two')
    await context.reopen(async location => expect(await renewStore(location)).toBe(1))
    const renewed = await context.store.log.open(log)
    expect(renewed.seq).toBe(2)
    await expect(context.store.log.read(log, position, 10)).rejects.toMatchObject({
      code: 'unknown-position',
    })
    expect(await context.store.log.read(log, { ...renewed, seq: 0 }, 10)).toEqual(entries)
    await context.reopen()
    expect(await context.store.log.open(log)).toEqual(renewed)
  })
})

describe.each(restorableStores)('a store that is only opened again, on $name', ({ restorableStore }) => {
  test('knows all of its positions, also while it was backed up', async () => {
    await using context = await restorableStore()
    const { position } = await write(context.store, 'one', 'two')
    await context.backUp()
    await context.reopen()
    expect(await context.store.log.open(log)).toEqual(position)
    const { entries } = await write(context.store, 'three')
    expect(await context.store.log.read(log, position, 10)).toEqual(entries)
  })
})
