import { testDatabase } from '@throughline/testing/postgres/test-database'
import { Client, Pool } from 'pg'
import { expect, test } from 'vitest'
import { type Migration, migrations } from '../../src/database/migrations.ts'
import { migratePostgres } from '../../src/postgres/migrate-postgres.ts'
import { openPostgres, type PostgresSql } from '../../src/postgres/open-postgres.ts'

const added: Migration = { name: 'something new', statements: ['create table news (id text primary key)'] }
const breaking: Migration = { name: 'taken away', statements: ['drop table news'], breaks: true }

async function namesIn(sql: PostgresSql): Promise<readonly unknown[]> {
  const [rows = []] = await sql.read([
    { sql: 'select name from throughline_migrations order by version', sets: [[]] },
  ])
  return rows.map(row => row['name'])
}

test('several processes that start at once apply every migration once', async () => {
  await using database = await testDatabase()
  const nodes = await Promise.all(Array.from({ length: 5 }, () => openPostgres(database.url)))
  const [first] = nodes
  expect(first && (await namesIn(first))).toEqual(migrations.map(({ name }) => name))
  await Promise.all(nodes.map(node => node.close()))
})

test('all text is sorted by its bytes, as in SQLite', async () => {
  await using database = await testDatabase()
  const sql = await openPostgres(database.url)
  const [others] = await sql.read([
    {
      sql: `select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'
          and table_name <> 'throughline_migrations'`,
      sets: [[]],
    },
  ])
  expect(others).toEqual([])
  await sql.close()
})

test('a migration that stands in a deadlock with a node at work is applied all the same', async () => {
  await using database = await testDatabase()
  const sql = await openPostgres(database.url)
  const worker = new Client({ connectionString: database.url })
  await worker.connect()
  // So the migration is what Postgres ends.
  await worker.query("set deadlock_timeout = '60s'")
  await worker.query('begin; lock table runs in access share mode')
  const extended = ['chats', 'runs'].map(name => `alter table ${name} add column news text`)
  const migrated = migratePostgres(sql.pool, {
    known: [...migrations, { name: 'extends two tables', statements: extended }],
  })
  const waiting = "select count(*)::int as n from pg_locks where not granted and relation = 'runs'::regclass"
  await expect.poll(async () => (await worker.query(waiting)).rows[0]?.n).toBe(1)
  await worker.query('lock table chats in access share mode')
  await worker.query('commit')
  await migrated
  expect((await namesIn(sql)).at(-1)).toBe('extends two tables')
  await worker.end()
  await sql.close()
})

test('a program works on tables that a newer one has extended, and says so', async () => {
  await using database = await testDatabase()
  const sql = await openPostgres(database.url)
  await migratePostgres(sql.pool, { known: [...migrations, added] })
  const reports: string[] = []
  const older = await openPostgres(database.url, { report: problem => reports.push(problem) })
  expect(reports).toEqual([expect.stringContaining(`schema version ${migrations.length + 1}`)])
  await older.close()
  await sql.close()
})

test('a program refuses tables from which a newer one has taken what it needs', async () => {
  await using database = await testDatabase()
  const sql = await openPostgres(database.url)
  await migratePostgres(sql.pool, { known: [...migrations, added, breaking] })
  await expect(openPostgres(database.url)).rejects.toMatchObject({
    code: 'newer-schema',
    message: expect.stringContaining(`schema version ${migrations.length + 2}`),
  })
  await sql.close()
})

test('a migration that fails leaves nothing behind, and the next start tries it again', async () => {
  await using database = await testDatabase()
  const sql = await openPostgres(database.url)
  const broken: Migration = { name: 'something new', statements: [...added.statements, 'nonsense'] }
  await expect(migratePostgres(sql.pool, { known: [...migrations, broken] })).rejects.toThrow(
    'could not be migrated',
  )
  await migratePostgres(sql.pool, { known: [...migrations, added] })
  expect(await namesIn(sql)).toHaveLength(migrations.length + 1)
  await sql.close()
})

test.each([
  ['at work', [], ['']],
  [
    'that was restored from a dump',
    [
      'create table copied as select * from throughline_migrations',
      'truncate throughline_migrations',
      'insert into throughline_migrations select * from copied',
    ],
    ['restored'],
  ],
])(
  'logs in a database %s, whose release noted no origin of them, have one: %s',
  async (_, changes, origins) => {
    await using database = await testDatabase()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const pool = new Pool({ connectionString: database.url })
    const originIndex = migrations.findIndex(({ name }) => name.startsWith('where logs have their origin'))
    await migratePostgres(pool, { known: migrations.slice(0, originIndex) })
    await client.query("insert into logs (name, epoch, fence) values ('ada/chat', 'epoch', 1)")
    for (const change of changes) await client.query(change)
    await migratePostgres(pool)
    const { rows } = await client.query<{ origin: string }>('select origin from logs')
    expect(rows.map(({ origin }) => origin)).toEqual(origins)
    await client.end()
    await pool.end()
  },
)

test('tables of another program are not touched', async () => {
  await using database = await testDatabase()
  const sql = await openPostgres(database.url)
  await sql.write([{ sql: 'create table foreign_notes (text text)', sets: [[]] }])
  const taken: Migration = { name: 'notes', statements: ['create table foreign_notes (id text)'] }
  await expect(migratePostgres(sql.pool, { known: [...migrations, taken] })).rejects.toThrow(
    'Throughline did not make it. Give Throughline a database of its own',
  )
  await sql.close()
})

test('the tables can be in a schema of their own, beside those of another program', async () => {
  await using database = await testDatabase()
  const url = new URL(database.url)
  url.searchParams.set('options', '-csearch_path=own')
  const other = new Client({ connectionString: database.url })
  await other.connect()
  await other.query('create table chats (text text)')
  await other.query('create schema own')
  await other.end()
  await expect(openPostgres(database.url)).rejects.toThrow(
    'relation "chats" already exists, and Throughline did',
  )
  const sql = await openPostgres(url.href)
  expect(await namesIn(sql)).toHaveLength(migrations.length)
  await sql.close()
})
