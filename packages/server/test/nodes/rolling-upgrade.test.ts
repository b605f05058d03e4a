import { isEndChunk } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import { type Migration, migratePostgres, migrations, openPostgresStore } from '@throughline/store/testing'
import { finish, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { entriesOf, handNode, untilWritten } from './hand-node.ts'

const quickEvents = [say('Yes.'), finish]
const quick = scriptedAgent('assistant', quickEvents)

test('nodes of two releases work side by side while the newer one extends every table, and it can be taken back', async () => {
  await using database = await testDatabase()
  await using stores = new AsyncDisposableStack()
  const open = async (report = (_problem: string) => undefined) => {
    const store = await openPostgresStore(database.url, { report: problem => report(problem) })
    stores.defer(() => store.close())
    return store
  }
  const olderStore = await open()
  const { script, letGo } = heldScript({ before: [say('I begin. ')], after: [say('I end.')] })
  let isFirst = true
  const agent = scriptedAgent('assistant', request => {
    if (!isFirst) return quickEvents
    isFirst = false
    return typeof script === 'function' ? script(request) : script
  })
  await using older = await handNode({ store: olderStore, agents: [agent] })
  await older.send()
  await untilWritten(olderStore, 'I begin.')
  // All connections of the older node have prepared their statements by now.
  await talk(older, 'before', 20)

  await extendTables(database.url)
  const newerStore = await open()
  await using newer = await handNode({ store: newerStore, agents: [quick] })
  await Promise.all([talk(older, 'older', 20), talk(newer, 'newer', 20)])

  const [active] = older.services.runner.underWay()
  letGo()
  await active?.ended
  expect(await endsOf(newerStore, 'chat')).toMatchObject([{ type: 'finish' }])
  // Each node reads what the other one wrote, and goes on with it.
  for (const [store, chatId] of [[newerStore, 'older-0'] as const, [olderStore, 'newer-0'] as const])
    expect(JSON.stringify(await entriesOf(store.log, chatId))).toContain('Yes.')
  await answer(newer, 'older-0')
  await answer(older, 'newer-0')

  // Taken back: the program of the older release starts again on the extended tables.
  const reports: string[] = []
  const againStore = await open(problem => void reports.push(problem))
  expect(reports).toEqual([expect.stringContaining(`schema version ${migrations.length + 1}`)])
  await using again = await handNode({ store: againStore, agents: [quick] })
  await answer(again, 'newer-1')
  expect(await endsOf(againStore, 'newer-1')).toMatchObject([{ type: 'finish' }, { type: 'finish' }])
  expect(await againStore.runs.unfinished()).toEqual([])
})

type TestNode = Awaited<ReturnType<typeof handNode>>

/** Asks in several chats at once. */
async function talk(node: TestNode, name: string, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => answer(node, `${name}-${index}`)))
}

async function answer(node: TestNode, chatId: string): Promise<void> {
  const { runId } = await node.send(chatId)
  const active = node.services.runner.underWay().find(({ run }) => run.id === runId)
  // A run that is not under way any more has ended already.
  if (active !== undefined) expect(await active.ended).toBe('finished')
}

async function endsOf(store: Store, chatId: string): Promise<readonly unknown[]> {
  return (await entriesOf(store.log, chatId)).map(({ chunk }) => chunk).filter(isEndChunk)
}

/** Does what the next release may do: adds a column to every table, a table and an index. */
async function extendTables(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name <> 'throughline_migrations'`,
  )
  const extension: Migration = {
    name: 'what the next release adds',
    statements: [
      ...rows.map(({ name }) => `alter table ${name} add column news text not null default 'none'`),
      'create table news (id text primary key)',
      'create index news_of_chats on chats (news)',
    ],
  }
  await migratePostgres(pool, { known: [...migrations, extension] })
  await pool.end()
}
