import { logName } from '@throughline/log'
import { runIdOf } from '@throughline/testing/log/entries-of'
import { sharedStores } from '@throughline/testing/store/shared-store'
import { ada, adasChat, bobsChat, testChat } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'

const place = { channel: 'telegram', target: '{"chatId":5}' } as const
const item = { runId: runIdOf('run'), index: 0, body: 'Hello' } as const

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  async function tiedChat() {
    const shared = await sharedStore()
    await shared.store.channelChats.tie(ada, testChat(), place)
    await shared.store.nodes.beat('a')
    await shared.store.nodes.beat('b')
    return shared
  }

  test('one node sends a chat, until it releases the chat', async () => {
    await using shared = await tiedChat()
    const { deliveryOwners } = shared.store
    expect(await deliveryOwners.claim(adasChat, 'a')).toBe(true)
    expect(await deliveryOwners.claim(adasChat, 'b')).toBe(false)
    expect(await deliveryOwners.claim(adasChat, 'a')).toBe(true)
    await deliveryOwners.release(adasChat, 'b')
    expect(await deliveryOwners.claim(adasChat, 'b')).toBe(false)
    await deliveryOwners.release(adasChat, 'a')
    expect(await deliveryOwners.claim(adasChat, 'b')).toBe(true)
  })

  test('a chat in no channel is sent by nobody', async () => {
    await using shared = await tiedChat()
    expect(await shared.store.deliveryOwners.claim(bobsChat, 'a')).toBe(false)
  })

  test('the chats of a dead node can be claimed', async () => {
    await using shared = await tiedChat()
    const { nodes, deliveryOwners } = shared.store
    await deliveryOwners.claim(adasChat, 'a')
    expect(await deliveryOwners.elsewhere('b')).toEqual(new Set([logName(adasChat)]))
    expect(await deliveryOwners.elsewhere('a')).toEqual(new Set())
    shared.pass(15_000)
    await nodes.beat('b')
    expect(await deliveryOwners.elsewhere('b')).toEqual(new Set())
    expect(await deliveryOwners.claim(adasChat, 'b')).toBe(true)
  })

  test('a node that lost a chat can write nothing to its outbox, not even when nobody has the chat any more', async () => {
    await using shared = await tiedChat()
    const { deliveryOwners, outbox } = shared.store
    const ofA = { ...adasChat, nodeId: 'a' }
    await deliveryOwners.claim(adasChat, 'a')
    await outbox.add(ofA, item)
    await shared.store.nodes.resign('a')
    await deliveryOwners.claim(adasChat, 'b')
    const refused = { code: 'no-effect' }
    await expect(outbox.settle(ofA, { ...item, status: 'sent', receipt: '1' })).rejects.toMatchObject(refused)
    await deliveryOwners.release(adasChat, 'b')
    await expect(outbox.add(ofA, { ...item, index: 1 })).rejects.toMatchObject(refused)
    await expect(outbox.rewrite(ofA, { ...item, body: 'Other' })).rejects.toMatchObject(refused)
    await expect(outbox.advance(ofA, { epoch: 'e', seq: 5 })).rejects.toMatchObject(refused)
    expect(await outbox.load(adasChat)).toMatchObject([{ index: 0, body: 'Hello', status: 'pending' }])
  })
})
