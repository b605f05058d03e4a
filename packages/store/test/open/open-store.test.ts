import { once } from 'node:events'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { endDraft, testLog } from '@throughline/testing/log/log-drafts'
import { spawnWriter } from '@throughline/testing/log/spawn-writer'
import { ada, adasChat, at, startOf, testChat, testRun } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { openStore } from '../../src/open/open-store.ts'

const log = testLog('chat')

test('what was written is there when the store is opened again', async () => {
  await using folder = await temporaryFolder()
  const first = await openStore(`${folder.path}/deep/er`)
  const run = testRun('run')
  await first.runs.claim(run, startOf(run))
  const lease = await first.log.acquire(log)
  const entries = await appendAtEnd(first.log, lease, [endDraft, endDraft])
  const saved = await first.messages.load(adasChat)
  await first.close()
  const second = await openStore(`${folder.path}/deep/er`)
  expect(await second.messages.load(adasChat)).toEqual(saved)
  expect(await second.runs.unfinished()).toEqual([run])
  expect(await second.log.read(log, lease.head, 10)).toEqual(entries)
  // Nobody took the lease over, so who held it may go on.
  expect(await appendAtEnd(second.log, lease, [endDraft])).toMatchObject([{ seq: 3 }])
  await second.close()
})

test('a store that is open cannot be opened a second time, in this process or in another', async () => {
  await using folder = await temporaryFolder()
  await using otherFolder = await temporaryFolder()
  const store = await openStore(folder.path)
  await using writer = spawnWriter(otherFolder.path)
  await once(writer.acknowledged, 'data')
  writer.acknowledged.resume()
  const refusals = [openStore(folder.path), openStore(otherFolder.path)]
  for (const result of await Promise.allSettled(refusals)) {
    expect(result).toMatchObject({
      status: 'rejected',
      reason: { name: 'SqlError', code: 'in-use', message: expect.stringContaining('another folder') },
    })
  }
  // Who was refused has done no harm.
  expect(await store.chats.create(ada, testChat())).toEqual(testChat())
  await store.close()
  await writer.kill()
  const freed = await openStore(otherFolder.path)
  await freed.close()
})

test('a closed store refuses every call by name', async () => {
  await using folder = await temporaryFolder()
  const { chats, messages, runs, log: logs, close } = await openStore(folder.path)
  const lease = await logs.acquire(log)
  await close()
  const run = testRun('run')
  const calls = [
    () => chats.list(ada, { limit: 1 }),
    () => chats.create(ada, testChat()),
    () => chats.remove(adasChat, at(0)),
    () => messages.load(adasChat),
    () => runs.claim(run, startOf(run)),
    () => runs.unfinished(),
    () => logs.acquire(log),
    () => appendAtEnd(logs, lease, [endDraft]),
    () => logs.read(log, lease.head, 1),
    () => logs.open(log),
    () => logs.remove(log),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ name: 'SqlError', code: 'closed' })
})
