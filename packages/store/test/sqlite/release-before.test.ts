import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import {
  ada,
  adasChat,
  answer,
  endOf,
  startOf,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { migrations } from '../../src/database/migrations.ts'
import { openStore } from '../../src/open/open-store.ts'

/** The code of the release before, as `npm run release:version` has recorded it. */
const before: { readonly openStore: typeof openStore } = await import(
  new URL('../release-before/open-store.mjs', import.meta.url).href
)
const { migrations: earlier }: { readonly migrations: typeof migrations } = await import(
  new URL('../release-before/migrations.mjs', import.meta.url).href
)

test('the release before works on a file that this release has migrated, and this release goes on with it', async () => {
  await using folder = await temporaryFolder()
  const first = await opened(openStore, folder.path)
  await talk(first, 'first')
  await first.close()
  // What the release after this one may add.
  extendTables(`${folder.path}/throughline.sqlite`)

  const reports: string[] = []
  const older = await opened(before.openStore, folder.path, reports)
  expect(reports).toEqual([expect.stringContaining(`schema version ${migrations.length + 1}`)])
  expect(await textsIn(older)).toEqual(['first', 'Yes, first.'])
  await talk(older, 'second')
  expect(await textsIn(older)).toEqual(['first', 'Yes, first.', 'second', 'Yes, second.'])
  expect(await older.definitions.list(ada)).toHaveLength(2)
  await older.close()

  const again = await opened(openStore, folder.path)
  await talk(again, 'third')
  expect(await textsIn(again)).toHaveLength(6)
  const entries = await again.log.read(
    logName(adasChat),
    { ...(await again.log.open(logName(adasChat))), seq: 0 },
    20,
  )
  expect(entries.map(({ seq, runId, chunk }) => `${seq} ${runId} ${chunk.type}`)).toEqual([
    '1 first start',
    '2 first finish',
    '3 second start',
    '4 second finish',
    '5 third start',
    '6 third finish',
  ])
  expect(await again.runs.unfinished()).toEqual([])
  expect((await again.definitions.list(ada)).map(({ name }) => name)).toEqual(['first', 'second', 'third'])
  await again.close()
})

test('the migrations of the release before are still the first ones, so that both mean the same tables', () => {
  expect(migrations.slice(0, earlier.length)).toEqual(earlier)
  const breaking = migrations.slice(earlier.length).filter(({ breaks }) => breaks)
  expect(breaking).toEqual([])
})

test('a change that the release before cannot use is refused by it, and the file stays as it is', async () => {
  await using folder = await temporaryFolder()
  await (await opened(openStore, folder.path)).close()
  const path = `${folder.path}/throughline.sqlite`
  const database = new DatabaseSync(path)
  database.exec(
    `insert into migrations values (${earlier.length + 1}, 'takes something away', '', 1) on conflict (version) do update set breaks = 1`,
  )
  database.close()
  await expect(opened(before.openStore, folder.path)).rejects.toMatchObject({ code: 'newer-schema' })
})

type Opened = Awaited<ReturnType<typeof openStore>>

function opened(open: typeof openStore, folder: string, reports: string[] = []): Promise<Opened> {
  return open(folder, { report: problem => void reports.push(problem) })
}

/** A run from its claim to its end: its question, its entries and its answer; and an agent that a person defines. */
async function talk(store: Opened, name: string): Promise<void> {
  const lease = await store.log.acquire(logName(adasChat))
  const { seq } = lease.head
  const run = { ...testRun(name, { userMessageId: `${name}-question` }), afterSeq: seq }
  expect(await store.runs.claim(run, startOf(run, { text: name }))).toBe(true)
  await store.log.append(lease, seq, [
    { runId: run.id, messageId: run.answerId, chunk: { type: 'start' } },
    { runId: run.id, messageId: run.answerId, chunk: { type: 'finish' } },
  ])
  store.log.release(lease)
  const messages = [userMessage(run.userMessageId, name), answer(run.answerId, `Yes, ${name}.`)]
  expect(await store.runs.end(run, endOf(run, messages, { seq: seq + 1 }))).toBe(true)
  const draft = { id: `agent-${name}`, name, enabled: true, fields: {}, updatedAt: '' }
  expect(await store.definitions.create(ada, draft)).toBeDefined()
}

async function textsIn(store: Opened): Promise<readonly string[]> {
  const { messages = [] } = (await store.messages.load(adasChat)) ?? {}
  return messages.flatMap(({ message }) =>
    message.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])),
  )
}

/** Adds a column to every table, a table and an index. */
function extendTables(path: string): void {
  const database = new DatabaseSync(path)
  const tables = database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> 'migrations'",
    )
    .all()
  for (const { name } of tables)
    database.exec(`alter table ${String(name)} add column news text not null default 'none'`)
  database.exec('create table news (id text primary key)')
  database.exec('create index news_of_chats on chats (news)')
  database.exec(
    `insert into migrations values (${migrations.length + 1}, 'what the next release adds', '', 0)`,
  )
  database.close()
}
