import { ada, adasChat, bob, bobsChat, testChat } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

const place = { channel: 'hook', target: 'room' } as const

function item(index: number, runId = 'run') {
  return { runId, index, body: `{"text":"Block ${index}."}` }
}

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  /** A store with a channel chat of each owner. */
  async function tied() {
    const context = await temporaryStore()
    for (const owner of [ada, bob]) await context.store.channelChats.tie(owner, testChat(), place)
    return context
  }

  test('what is on its way comes back in order, pending until it is settled', async () => {
    await using context = await tied()
    const { outbox } = context.store
    for (const index of [0, 2, 1, 10]) await outbox.add(adasChat, item(index))
    await outbox.settle(adasChat, { ...item(0), status: 'sent', receipt: 'r0' })
    await outbox.settle(adasChat, { ...item(1), status: 'failed', receipt: undefined })
    expect(await outbox.load(adasChat)).toEqual([
      { ...item(0), status: 'sent', receipt: 'r0' },
      { ...item(1), status: 'failed', receipt: undefined },
      { ...item(2), status: 'pending', receipt: undefined },
      { ...item(10), status: 'pending', receipt: undefined },
    ])
  })

  test('an item is added once: a place that is taken is refused, and what is there stays', async () => {
    await using context = await tied()
    const { outbox } = context.store
    await outbox.add(adasChat, item(0))
    await expect(outbox.add(adasChat, { ...item(0), body: '{}' })).rejects.toMatchObject({
      code: 'constraint',
    })
    expect(await outbox.load(adasChat)).toMatchObject([item(0)])
  })

  test('a message that was edited says something else, and stays as it was settled', async () => {
    await using context = await tied()
    const { outbox } = context.store
    await outbox.add(adasChat, item(0))
    await outbox.settle(adasChat, { ...item(0), status: 'sent', receipt: 'r0' })
    await outbox.rewrite(adasChat, { ...item(0), body: '{"text":"More."}' })
    expect(await outbox.load(adasChat)).toEqual([
      { ...item(0), body: '{"text":"More."}', status: 'sent', receipt: 'r0' },
    ])
  })

  test('when all is delivered the cursor moves and the items are forgotten, both or neither', async () => {
    await using context = await tied()
    const { outbox, channelChats } = context.store
    await outbox.add(adasChat, item(0))
    await outbox.advance(adasChat, { epoch: 'e', seq: 12 })
    expect(await outbox.load(adasChat)).toEqual([])
    expect(await channelChats.get(adasChat)).toMatchObject({ delivered: { epoch: 'e', seq: 12 } })
  })

  test('what one owner’s chat has on its way is not another’s', async () => {
    await using context = await tied()
    const { outbox } = context.store
    await outbox.add(adasChat, item(0))
    await outbox.settle(bobsChat, { ...item(0), status: 'sent', receipt: 'stolen' })
    await outbox.rewrite(bobsChat, { ...item(0), body: '{}' })
    await outbox.advance(bobsChat, { epoch: 'e', seq: 1 })
    expect(await outbox.load(bobsChat)).toEqual([])
    expect(await outbox.load(adasChat)).toEqual([{ ...item(0), status: 'pending', receipt: undefined }])
  })

  test('nothing is on its way to a chat that is in no channel', async () => {
    await using context = await temporaryStore()
    const { outbox, chats } = context.store
    await chats.create(ada, testChat())
    await expect(outbox.add(adasChat, item(0))).rejects.toMatchObject({ code: 'constraint' })
  })

  test('what was written down is there for the next process', async () => {
    await using context = await tied()
    await context.store.outbox.add(adasChat, item(0))
    await context.store.close()
    const next = await context.reopen()
    expect(await next.outbox.load(adasChat)).toMatchObject([item(0)])
    await next.close()
  })
})
