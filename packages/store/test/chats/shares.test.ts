import {
  ada,
  adasChat,
  at,
  bobsChat,
  startOf,
  testChat,
  testRun,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { NewShare } from '../../src/chats/shares.ts'
import type { Store } from '../../src/open/open-store.ts'

const file = { id: 'file_1', mediaType: 'text/plain', bytes: Buffer.from('Hello'), at: at(0) }

function shareOf(key: string, minute = 0): NewShare {
  return {
    key,
    title: 'A title',
    createdAt: at(minute),
    messageCount: 2,
    digest: 'digest',
    messages: '[{"id":"question"}]',
    fileIds: [file.id],
  }
}

async function withChat({ chats }: Store): Promise<void> {
  await chats.create(ada, testChat())
}

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('a copy is found by its key, and its chat lists it without its content', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await withChat(store)
    expect(await store.shares.create(adasChat, shareOf('older', 1))).toBe(true)
    expect(await store.shares.create(adasChat, shareOf('newer', 2))).toBe(true)
    const { messages, fileIds, ...listed } = shareOf('newer', 2)
    const all = await store.shares.list(adasChat)
    expect([all[0], all.map(({ key }) => key)]).toEqual([listed, ['newer', 'older']])
    expect(await store.shares.find('older')).toEqual({
      key: 'older',
      chat: adasChat,
      title: 'A title',
      createdAt: at(1),
      fileIds,
    })
    expect(await store.shares.messages('older')).toBe(messages)
    expect(await store.shares.find('unknown')).toBeUndefined()
    expect(await store.shares.messages('unknown')).toBeUndefined()
  })

  test('a key is used once, and only for a chat that there is', async () => {
    await using context = await temporaryStore()
    const { store } = context
    expect(await store.shares.create(adasChat, shareOf('key'))).toBe(false)
    await withChat(store)
    expect(await store.shares.create(adasChat, shareOf('key'))).toBe(true)
    expect(await store.shares.create(adasChat, { ...shareOf('key'), title: 'Another' })).toBe(false)
    expect((await store.shares.find('key'))?.title).toBe('A title')
  })

  test('only the owner of a chat lists and removes its links', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await withChat(store)
    await store.shares.create(adasChat, shareOf('key'))
    expect(await store.shares.list(bobsChat)).toEqual([])
    expect(await store.shares.remove(bobsChat, 'key')).toBe(false)
    expect(await store.shares.remove(adasChat, 'key')).toBe(true)
    expect(await store.shares.remove(adasChat, 'key')).toBe(false)
    expect(await store.shares.find('key')).toBeUndefined()
  })

  test('copies are gone with their chat, and a new chat of the same id does not bring them back', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await withChat(store)
    for (const key of ['one', 'two']) await store.shares.create(adasChat, shareOf(key))
    const removal = store.chats.remove(adasChat, at(1))
    expect(await store.shares.find('one')).toBeUndefined()
    await removal
    await withChat(store)
    expect(await store.shares.list(adasChat)).toEqual([])
    expect(await store.shares.messages('two')).toBeUndefined()
  })

  test('a file that a copy names stays when a message that waits with it is taken back', async () => {
    await using context = await temporaryStore()
    const { store } = context
    const run = testRun('run')
    await store.files.write(adasChat, file)
    await store.runs.claim(run, startOf(run))
    const waiting = { ...adasChat, id: 'waiting', body: '{}', createdAt: at(0) }
    await store.waitingSubmissions.add(waiting, { max: 1, files: [file] })
    await store.shares.create(adasChat, shareOf('key'))
    expect(await store.waitingSubmissions.remove(adasChat, 'waiting', [file.id])).toBe(true)
    expect(await store.files.find(adasChat, file.id)).toBeDefined()
  })
})
