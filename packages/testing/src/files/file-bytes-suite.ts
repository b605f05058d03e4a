import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import type { FileBytes } from '@throughline/store/testing'
import { describe, expect, test } from 'vitest'
import { idOf } from '../log/id-of.ts'

/** Makes an empty place for files. Disposing removes it. */
export type CreateFileBytes = () => Promise<{ readonly bytes: FileBytes } & AsyncDisposable>

const chatOf = (owner: string, chat: string): ChatKey => ({
  ownerId: idOf(isOwnerId, owner),
  chatId: idOf(isChatId, chat),
})
const chat = chatOf('ada', 'chat')
const fileOf = (id: string, text = id) => ({ id, bytes: new TextEncoder().encode(text) })

async function textIn(bytes: FileBytes, of: ChatKey, id: string): Promise<string | undefined> {
  const read = await bytes.read(of, id)
  return read && Buffer.from(read).toString()
}

/** Registers the tests that every place for the bytes of files must pass. */
export function fileBytesSuite(name: string, create: CreateFileBytes): void {
  describe(`the bytes of files in ${name}`, () => {
    contentTests(create)
    removalTests(create)
    ownerTests(create)
  })
}

function contentTests(create: CreateFileBytes): void {
  test('a file is read as it was written, whatever its bytes and its size', async () => {
    await using context = await create()
    const { bytes } = context
    const large = new Uint8Array(3 * 1024 * 1024 + 17).map((_, index) => (index * 31) % 256)
    const files = [
      { id: 'file_large', bytes: large },
      { id: 'file_zeros', bytes: new Uint8Array(5) },
      { id: 'file_empty', bytes: new Uint8Array() },
      // A part of a larger buffer.
      { id: 'file_view', bytes: large.subarray(7, 19) },
    ]
    for (const file of files) await bytes.write(chat, file)
    for (const file of files) {
      const read = await bytes.read(chat, file.id)
      expect(read && Buffer.from(read).equals(file.bytes), file.id).toBe(true)
    }
  })

  test('a file that was never written is absent', async () => {
    await using context = await create()
    await context.bytes.write(chat, fileOf('file_1'))
    expect(await context.bytes.read(chat, 'file_2')).toBeUndefined()
    expect(await context.bytes.read(chatOf('ada', 'other'), 'file_1')).toBeUndefined()
  })

  test('the same file may be written many times, also at once', async () => {
    await using context = await create()
    const { bytes } = context
    const file = { id: 'file_1', bytes: new Uint8Array(700_000).fill(7) }
    await Promise.all(Array.from({ length: 5 }, () => bytes.write(chat, file)))
    await bytes.write(chat, file)
    expect((await bytes.read(chat, 'file_1'))?.byteLength).toBe(700_000)
  })
}

function removalTests(create: CreateFileBytes): void {
  test('one file is removed, and the others stay', async () => {
    await using context = await create()
    const { bytes } = context
    for (const id of ['file_1', 'file_10', 'file_2']) await bytes.write(chat, fileOf(id))
    await bytes.remove(chat, 'file_1')
    await bytes.remove(chat, 'file_1')
    expect(await bytes.read(chat, 'file_1')).toBeUndefined()
    expect(await textIn(bytes, chat, 'file_10')).toBe('file_10')
    expect(await textIn(bytes, chat, 'file_2')).toBe('file_2')
    // A file that was removed can be written again.
    await bytes.write(chat, fileOf('file_1', 'again'))
    expect(await textIn(bytes, chat, 'file_1')).toBe('again')
  })

  test('all files of a chat are removed, however many, and those of other chats stay', async () => {
    await using context = await create()
    const { bytes } = context
    const ids = Array.from({ length: 120 }, (_, index) => `file_${index}`)
    for (const id of ids) await bytes.write(chat, fileOf(id))
    const others = [
      chatOf('ada', 'chat-2'),
      chatOf('ada', 'cha'),
      chatOf('ada', 'Chat'),
      chatOf('bob', 'chat'),
    ]
    for (const other of others) await bytes.write(other, fileOf('file_1'))
    await bytes.removeAll(chat)
    await bytes.removeAll(chat)
    for (const id of ids) expect(await bytes.read(chat, id)).toBeUndefined()
    for (const other of others) expect(await textIn(bytes, other, 'file_1')).toBe('file_1')
    await bytes.removeAll(chatOf('ada', 'never-there'))
  })
}

function ownerTests(create: CreateFileBytes): void {
  test('chats whose owners and ids look alike do not share files', async () => {
    await using context = await create()
    const { bytes } = context
    const chats = [
      ['a', 'b'],
      ['A', 'b'],
      ['a', 'B'],
      ['a', 'con'],
      ['a', 'x:y'],
      ['a', 'x.'],
      ['a', '...'],
      ['b', 'a'],
    ].map(([owner = '', id = '']) => chatOf(owner, id))
    for (const each of chats) await bytes.write(each, fileOf('file_1', `${each.ownerId}/${each.chatId}`))
    for (const each of chats)
      expect(await textIn(bytes, each, 'file_1')).toBe(`${each.ownerId}/${each.chatId}`)
  })

  test('its location is named for the operator', async () => {
    await using context = await create()
    expect(context.bytes.location).not.toBe('')
  })
}
