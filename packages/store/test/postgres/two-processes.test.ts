import { logName } from '@throughline/log'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { saveHistory } from '@throughline/testing/store/save-history'
import {
  ada,
  adasChat,
  answer,
  at,
  chatId,
  endOf,
  startOf,
  testChat,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { openPostgresStore } from '../../src/open/open-postgres-store.ts'
import type { Store } from '../../src/open/store.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'

const rounds = Array.from({ length: 20 }, (_, round) => round)

/** Two stores with their own connections to one database, as two processes have them. */
async function twoProcesses(removalLeaseMs = 60_000) {
  const database = await migratedTestDatabase()
  const open = () => openPostgresStore(database.url, { removalLeaseMs })
  const [one, other] = [await open(), await open()]
  return {
    one,
    other,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.close(), other.close()])
      await database[Symbol.asyncDispose]()
    },
  }
}

const runOf = (name: string, round: number) =>
  testRun(`${name}-${round}`, { chatId: `chat-${round}`, userMessageId: `${name}-question` })

test('a chat is claimed by one of two processes, and who lost has left nothing behind', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  for (const round of rounds) {
    const [first, second] = [runOf('first', round), runOf('second', round)]
    const claims = await Promise.all([
      one.runs.claim(first, startOf(first)),
      other.runs.claim(second, startOf(second)),
    ])
    expect(claims.toSorted()).toEqual([false, true])
    const winner = claims[0] ? first : second
    expect(await one.runs.active(first)).toEqual(winner)
    const saved = await other.messages.load(first)
    expect(saved?.messages.map(({ message }) => message.id)).toEqual([winner.userMessageId])
  }
})

test('a message that both processes get begins one run', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  for (const round of rounds) {
    const [first, second] = [runOf('first', round), { ...runOf('first', round), id: runOf('x', round).id }]
    const claims = await Promise.all([
      one.runs.claim(first, startOf(first)),
      other.runs.claim(second, startOf(second)),
    ])
    expect(claims.toSorted()).toEqual([false, true])
  }
})

test('a run that both processes end has one end, with the messages of that one', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  for (const round of rounds) {
    const run = runOf('run', round)
    await one.runs.claim(run, startOf(run))
    const endBy = (name: string) =>
      endOf(run, [userMessage(run.userMessageId), answer(run.answerId, name)], { seq: 1 })
    const ends = await Promise.all([
      one.runs.end(run, { ...endBy('one'), status: 'finished' }),
      other.runs.end(run, { ...endBy('other'), status: 'interrupted' }),
    ])
    expect(ends.toSorted()).toEqual([false, true])
    expect(await one.runs.get(ada, run.id)).toMatchObject({ status: ends[0] ? 'finished' : 'interrupted' })
    expect(await one.messages.find(run, run.answerId)).toEqual(
      answer(run.answerId, ends[0] ? 'one' : 'other'),
    )
  }
})

test('an approval that two people decide, while its run ends, has one outcome', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  for (const round of rounds) {
    const run = runOf('run', round)
    await one.runs.claim(run, startOf(run))
    const id = `approval-${round}`
    await one.approvals.open({
      id,
      ...{ ownerId: ada, chatId: run.chatId, runId: run.id, messageId: run.answerId },
      ...{ toolCallId: 'call', toolName: 'remove', inputHash: 'hash', createdAt: at(0) },
    })
    const [approved, denied] = await Promise.all([
      one.approvals.settle(ada, id, { status: 'approved', at: at(1) }),
      other.approvals.settle(ada, id, { status: 'denied', at: at(1) }),
      other.runs.end(run, endOf(run, [], { seq: 0 })),
    ])
    const status = approved ? 'approved' : denied ? 'denied' : 'void'
    expect(approved && denied).toBe(false)
    expect((await one.approvals.find(ada, id))?.status).toBe(status)
  }
})

test('a chat that one process removes is gone for the other at once', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  await saveHistory(one, { ownerId: ada, chatId, count: 600 })
  const removal = one.chats.remove(adasChat, at(0))
  await expect.poll(() => other.chats.get(adasChat), { interval: 1 }).toBeUndefined()
  expect(await other.messages.last(adasChat)).toBe('')
  expect(await other.messages.outline(adasChat)).toEqual([])
  expect(await other.runs.unfinished()).toEqual([])
  expect(await other.chats.remove(adasChat, at(1))).toBe(false)
  // Its id can be used again when nothing is left of it.
  const next = testRun('next', { userMessageId: 'again' })
  expect(await other.runs.claim(next, startOf(next))).toBe(true)
  expect(await removal).toBe(true)
  expect((await idsIn(one)).toSorted()).toEqual(['again'])
})

test('a claim and a removal by two processes leave the new chat, or nothing', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  for (const round of rounds) {
    const run = runOf('run', round)
    await one.chats.create(ada, testChat({ id: run.chatId }))
    const [isRemoved, isClaimed] = await Promise.all([
      one.chats.remove(run, at(1)),
      other.runs.claim(run, startOf(run)),
    ])
    expect([isRemoved, isClaimed]).toEqual([true, true])
    const saved = await one.messages.load(run)
    // If the claim came first, the removal has taken its message too.
    expect([undefined, 1]).toContain(saved?.messages.length)
    expect((await other.runs.active(run))?.id).toBe(saved === undefined ? undefined : run.id)
  }
})

test('a message that was removed with its chat is not taken again, whichever process gets it', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  for (const round of rounds) {
    const run = runOf('run', round)
    const tie = { channel: 'telegram', target: 'here', incoming: { messageId: run.userMessageId, at: at(1) } }
    const chat = testChat({ id: run.chatId })
    expect(await one.channelChats.tie(ada, chat, tie)).toBe(true)
    await one.runs.claim(run, startOf(run))
    const [, isTied] = await Promise.all([
      one.chats.remove(run, at(1)),
      other.channelChats.tie(ada, chat, tie),
    ])
    // Before the removal, the chat is tied once more, and goes with it.
    if (isTied) expect(await one.channelChats.get(run)).toBeUndefined()
    expect(await other.channelChats.tie(ada, chat, tie)).toBe(false)
  }
})

test('a removal whose process has died is finished by another one', async () => {
  await using context = await twoProcesses(200)
  const { one, other, url } = context
  await saveHistory(one, { ownerId: ada, chatId, count: 10 })
  const sql = await openPostgres(url)
  await sql.write([
    { sql: "update chats set removed_at = 'now', removal_by = 'dead', removal_until = 0", sets: [[]] },
  ])
  expect(await other.chats.get(adasChat)).toBeUndefined()
  const left = { sql: 'select count(*) as n from messages', sets: [[]] }
  await expect.poll(() => sql.read([left])).toEqual([[{ n: 0 }]])
  await sql.close()
})

test('a removal that another process has taken over deletes nothing of the next chat', async () => {
  await using context = await twoProcesses()
  const { one, other, url } = context
  await saveHistory(one, { ownerId: ada, chatId, count: 10 })
  const sql = await openPostgres(url)
  // The removal of a process that stood still: another one has finished it, and the chat is there again.
  await sql.write([
    {
      sql: "update chats set removed_at = 'now', removal_by = 'other', removal_until = 99999999999999",
      sets: [[]],
    },
  ])
  expect(await one.chats.remove(adasChat, at(1))).toBe(false)
  await sql.write([{ sql: 'update chats set removed_at = null, removal_by = null', sets: [[]] }])
  await sql.close()
  expect(await idsIn(other)).toHaveLength(10)
})

test('what one process appends, the other finds as not delivered', async () => {
  await using context = await twoProcesses()
  const { one, other } = context
  const run = testRun('run')
  await one.channelChats.tie(ada, testChat(), { channel: 'telegram', target: 'here' })
  expect(await other.channelChats.undelivered()).toEqual([])
  const lease = await one.log.acquire(logName(adasChat))
  const [entry] = await appendAtEnd(one.log, lease, [
    { runId: run.id, messageId: run.answerId, chunk: { type: 'start', messageId: run.answerId } },
  ])
  expect(await other.channelChats.undelivered()).toMatchObject([{ chatId }])
  await other.outbox.advance(adasChat, { epoch: lease.head.epoch, seq: entry?.seq ?? 0 })
  expect(await one.channelChats.undelivered()).toEqual([])
})

async function idsIn(store: Store): Promise<readonly string[]> {
  return (await store.messages.load(adasChat))?.messages.map(({ message }) => message.id) ?? []
}
