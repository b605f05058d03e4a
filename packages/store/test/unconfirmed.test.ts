import { ada, adasChat, at, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import { createOperatorReplies } from '../src/channels/operator-replies.ts'
import { createShares } from '../src/chats/shares.ts'
import type { StoreDatabase } from '../src/database/database.ts'
import { SqlError } from '../src/database/sql.ts'
import { createDefinitions } from '../src/owners/definitions.ts'
import { createWaitingSubmissions } from '../src/queue/waiting-submissions.ts'
import { createApprovals } from '../src/runs/approvals.ts'
import { createRuns } from '../src/runs/create-runs.ts'

const noRemovals = {
  has: () => false,
  waitWhileRemoving: async () => undefined,
  waitUntilRemoved: async () => false,
}
const run = testRun('run')
const lost = () => new SqlError('unconfirmed', 'The connection was lost.')

/** The same database, whose connection is lost at every first attempt: after the commit, or before it. */
function lossy(database: StoreDatabase, moment: 'after' | 'before'): StoreDatabase {
  let count = 0
  return {
    ...database,
    sql: {
      read: statements => database.sql.read(statements),
      close: () => database.sql.close(),
      async write(statements) {
        count += 1
        const isLost = count % 2 === 1
        if (isLost && moment === 'before') throw lost()
        const rows = await database.sql.write(statements)
        if (isLost) throw lost()
        return rows
      },
    },
  }
}

describe.each(temporaryStores)('on $name', ({ temporaryDatabase }) => {
  test.each(['after', 'before'] as const)('a write that is lost %s the commit happens once', async moment => {
    await using database = await temporaryDatabase()
    const broken = lossy(database, moment)
    const runs = createRuns(broken, noRemovals)
    expect(await runs.claim(run, startOf(run))).toBe(true)
    expect(await runs.active(adasChat)).toEqual(run)
    const approvals = createApprovals(broken)
    const request = {
      ...{ id: 'approval', ownerId: ada, chatId: run.chatId, runId: run.id, messageId: run.answerId },
      ...{ toolCallId: 'call', toolName: 'remove', inputHash: 'hash', createdAt: at(0) },
    }
    await approvals.open(request)
    expect(await approvals.settle(ada, 'approval', { status: 'denied', at: at(1) })).toBe(true)
    const definitions = createDefinitions(broken)
    const draft = { id: 'id', name: 'writer', enabled: true, fields: {}, updatedAt: at(1) }
    expect(await definitions.create(ada, draft)).toMatchObject({ version: 1 })
    expect(await definitions.update(ada, draft, { version: 1 })).toMatchObject({ version: 2 })
    const replies = createOperatorReplies(broken)
    expect(await replies.add(adasChat, { answerId: run.answerId, text: 'Yes.', at: at(1) })).toBe(true)
    const waiting = { ...adasChat, id: 'next', body: 'first', createdAt: at(1) }
    await createWaitingSubmissions(database).add(waiting, { max: 1 })
    const line = createWaitingSubmissions(broken)
    expect(await line.rewrite(adasChat, waiting, 'edited')).toBe(true)
    expect(await line.list(adasChat)).toEqual([{ ...waiting, body: 'edited' }])
    const taken = await runs.takeOver(run)
    expect(taken?.run).toEqual({ ...run, attempt: 1 })
    await runs.noteUsage(taken?.run ?? run, '{}')
    expect(await runs.end(taken?.run ?? run, endOf(run, [], { seq: 0 }))).toBe(true)
    expect(await runs.get(ada, run.id)).toMatchObject({ status: 'finished' })
  })

  test.each(['after', 'before'] as const)(
    'a removal that is lost %s the commit counts as made',
    async moment => {
      await using database = await temporaryDatabase()
      await createRuns(database, noRemovals).claim(run, startOf(run))
      const shares = createShares(database, noRemovals)
      const copy = { title: 'A title', createdAt: at(0), messageCount: 1, digest: 'digest' }
      await shares.create(adasChat, { ...copy, key: 'key', messages: '[]', fileIds: [] })
      expect(await createShares(lossy(database, moment), noRemovals).remove(adasChat, 'key')).toBe(true)
      expect(await shares.find('key')).toBeUndefined()
      const definitions = createDefinitions(database)
      await definitions.create(ada, { id: 'id', name: 'writer', enabled: true, fields: {}, updatedAt: at(1) })
      expect(await createDefinitions(lossy(database, moment)).remove(ada, { name: 'writer' })).toBe(true)
      expect(await definitions.list(ada)).toEqual([])
    },
  )

  test('a write that was lost and refused is refused', async () => {
    await using database = await temporaryDatabase()
    const runs = createRuns(database, noRemovals)
    await runs.claim(run, startOf(run))
    const late = testRun('late', { userMessageId: 'more' })
    const broken = createRuns(lossy(database, 'before'), noRemovals)
    expect(await broken.claim(late, startOf(late))).toBe(false)
    await runs.end(run, { ...endOf(run, [], { seq: 0 }), status: 'stopped' })
    expect(await broken.end(run, { ...endOf(run, [], { seq: 0 }), status: 'failed' })).toBe(false)
  })
})
