import { testDatabase } from '@throughline/testing/postgres/test-database'
import { ada, adasChat, testRun } from '@throughline/testing/store/store-rows'
import { temporaryPostgres } from '@throughline/testing/store/temporary-database'
import { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { databaseOnPostgres, type StoreDatabase } from '../../src/database/database.ts'
import type { Statement } from '../../src/database/sql.ts'
import { createNodes } from '../../src/nodes/nodes.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createPostgresTexts } from '../../src/postgres/postgres-text.ts'
import { createWaitingSubmissions } from '../../src/queue/waiting-submissions.ts'
import { createApprovals } from '../../src/runs/approvals.ts'
import { createRunOwners } from '../../src/runs/run-owners.ts'
import { createRunFinder } from '../../src/runs/run-rows.ts'

const endedCount = 100_000
const noRemovals = { has: () => false }

/** What is looked at again and again while a server runs. Each of them sends one statement or more. */
const looks: Readonly<Record<string, (database: StoreDatabase) => Promise<unknown>>> = {
  'the run that has a chat': database => createRunFinder(database).active(adasChat),
  'the runs to stop': database => createRunFinder(database).toStop(),
  'the unfinished runs': database => createRunFinder(database).unfinished(),
  'the runs of a node': database => createRunOwners(database, noRemovals).runsOf('node'),
  'whether a node has a run in a chat': database =>
    createRunOwners(database, noRemovals).hasRunIn(adasChat, 'node'),
  'the orphans that a node takes': database => createRunOwners(database, noRemovals).takeOrphans('node', 20),
  'a run that a dead node left': database =>
    createRunOwners(database, noRemovals).free('node', testRun('left')),
  'the nodes that are dead': database => createNodes(database).removeDead(),
  'the chats in which messages wait': database => createWaitingSubmissions(database).due(100),
  'the approvals that were decided': database =>
    createApprovals(database).settled([{ ownerId: ada, id: 'approval' }]),
}

describe('with many runs that have ended, no row of theirs is read for', () => {
  let plans: ReadonlyMap<string, string>

  beforeAll(async () => {
    plans = await readPlans()
  }, 120_000)

  test.each(Object.keys(looks))('%s', name => {
    const plan = plans.get(name)
    expect(plan).toContain('cost=')
    expect(plan).not.toMatch(/Seq Scan on (?:runs|approvals)/)
  })
})

test('decisions on any number of calls are read with the same statement', async () => {
  await using database = await temporaryPostgres()
  const texts = new Set<string>()
  const { settled } = createApprovals(watched(database, ({ sql }) => texts.add(sql)))
  for (const count of [1, 2, 7])
    await settled(Array.from({ length: count }, (_, index) => ({ ownerId: ada, id: `approval-${index}` })))
  expect(texts.size).toBe(1)
})

/** Returns the plan of each look, as Postgres makes it once for all values of the parameters. */
async function readPlans(): Promise<ReadonlyMap<string, string>> {
  await using server = await testDatabase()
  const sql = await openPostgres(server.url)
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query(filling)
  await client.query('set plan_cache_mode = force_generic_plan')
  const textOf = createPostgresTexts()
  const plans = new Map<string, string>()
  for (const [name, look] of Object.entries(looks)) {
    const seen: Statement[] = []
    await look(watched(databaseOnPostgres(sql), statement => seen.push(statement)))
    for (const statement of seen) plans.set(name, await planOf(client, statement, textOf(statement).text))
  }
  await client.end()
  await sql.close()
  return plans
}

async function planOf(client: Client, { sets }: Statement, text: string): Promise<string> {
  const values = sets[0]?.map(() => 'null') ?? []
  await client.query(`prepare look as ${text}`)
  const run = values.length === 0 ? 'look' : `look(${values.join(', ')})`
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute ${run}`)
  await client.query('deallocate look')
  return rows.map(row => row['QUERY PLAN']).join('\n')
}

/** Returns a database that tells of each statement before it is sent. */
function watched(database: StoreDatabase, tell: (statement: Statement) => unknown): StoreDatabase {
  const { sql } = database
  return {
    ...database,
    sql: {
      read: statements => {
        statements.forEach(tell)
        return sql.read(statements)
      },
      write: statements => {
        statements.forEach(tell)
        return sql.write(statements)
      },
      close: () => sql.close(),
    },
  }
}

const filling = `
  insert into chats (owner_id, id, title, created_at, updated_at)
    select 'ada', 'chat-' || n, '', '', '' from generate_series(1, 1000) as n;
  insert into runs (owner_id, id, chat_id, agent, user_message_id, answer_id, status, after_seq, started_at, ended_at)
    select 'ada', 'run-' || n, 'chat-' || (n % 1000 + 1), 'master', 'question-' || n, 'answer-' || n, 'finished', n, '', ''
    from generate_series(1, ${endedCount}) as n;
  insert into runs (owner_id, id, chat_id, agent, user_message_id, answer_id, status, after_seq, started_at)
    select 'ada', 'going-' || n, 'chat-' || n, 'master', 'asked-' || n, 'begun-' || n, 'running', n, ''
    from generate_series(1, 100) as n;
  insert into approvals (owner_id, id, chat_id, run_id, message_id, tool_call_id, tool_name, input_hash, status, created_at)
    select 'ada', 'approval-' || n, 'chat-' || (n % 1000 + 1), 'run-' || n, '', '', '', '', 'approved', ''
    from generate_series(1, ${endedCount}) as n;
  analyze`
