import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isChatId, isOwnerId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { openStore } from '../../src/open/open-store.ts'

const owner = idOf(isOwnerId, 'Ada')
const chatId = idOf(isChatId, 'chat')
const at = '2026-01-02T03:04:05.678Z'

/** Writes a chat with a file, and closes the store after it has told the rights of all it has made. */
async function rightsAfterUse(
  folder: string,
  reported: string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const store = await openStore(folder, { report: problem => reported.push(problem) })
  await store.chats
    .create(owner, { id: chatId, title: '', createdAt: at, updatedAt: at })
    .catch(() => undefined)
  await store.files.keep(
    { ownerId: owner, chatId },
    { mediaType: 'image/png', bytes: new Uint8Array([1]), at },
  )
  const rights = await rightsIn(folder)
  await store.close()
  return rights
}

async function rightsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true })
  const all = await Promise.all(
    ['', ...names].map(
      async name => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)] as const,
    ),
  )
  return Object.fromEntries(all)
}

/** What is not for the owner alone. */
function openOnes(rights: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(rights).flatMap(([name, mode]) => (/^[67]00$/.test(mode) ? [] : [`${name} ${mode}`]))
}

test('a new data folder, and everything in it, is for its owner alone', async () => {
  await using folder = await temporaryFolder()
  const rights = await rightsAfterUse(join(folder.path, 'data'))
  expect(rights['']).toBe('700')
  expect(rights['throughline.sqlite']).toBe('600')
  expect(rights['throughline.sqlite-wal']).toBe('600')
  expect(Object.keys(rights).length).toBeGreaterThan(5)
  expect(openOnes(rights)).toEqual([])
})

test('a data folder that was open to others is closed, with everything in it', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  await rightsAfterUse(data)
  for (const [name, mode] of Object.entries(await rightsIn(data)))
    await chmod(join(data, name), mode === '700' ? 0o755 : 0o644)
  const reported: string[] = []
  expect(openOnes(await rightsAfterUse(data, reported))).toEqual([])
  expect(reported).toEqual([])
})

test('a folder with other things in it is left as it is, which is told; what is ours in it is closed', async () => {
  await using folder = await temporaryFolder()
  const shared = join(folder.path, 'shared')
  await mkdir(shared)
  await writeFile(join(shared, 'letter.txt'), 'Dear Ada')
  await chmod(shared, 0o755)
  await chmod(join(shared, 'letter.txt'), 0o644)
  const reported: string[] = []
  const rights = await rightsAfterUse(shared, reported)
  expect(openOnes(rights)).toEqual([' 755', 'letter.txt 644'])
  expect(reported).toEqual([expect.stringContaining(`${shared} is open to other users of this machine`)])
  expect(reported[0]).toContain('THROUGHLINE_DATA')
})
