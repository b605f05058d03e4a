import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migrations } from '../../src/database/migrations.ts'
import type { Statement } from '../../src/database/sql.ts'
import { GroupCommit } from '../../src/sqlite/group-commit.ts'
import type { Job, JobResult } from '../../src/sqlite/thread-messages.ts'

function openGroup(schema: string) {
  const database = new DatabaseSync(':memory:')
  for (const { statements } of migrations) for (const statement of statements) database.exec(statement)
  database.exec(schema)
  const results: JobResult[] = []
  const commits = new GroupCommit(database, group => {
    // A result says that the job is durable, so it must not come before the commit.
    expect(database.isTransaction).toBe(false)
    results.push(...group)
  })
  return {
    database,
    commits,
    /** Runs the jobs as one group. On a slow machine reads take more than one turn. Returns how each job went. */
    run(jobs: readonly Omit<Job, 'id'>[]) {
      results.length = 0
      commits.add(jobs.map((job, id) => ({ ...job, id })))
      do commits.drain()
      while (results.length < jobs.length)
      return results.toSorted((a, b) => a.id - b.id).map(({ type }) => type)
    },
    results,
    values: () =>
      database
        .prepare('select value from numbers order by value')
        .all()
        .map(row => row['value']),
  }
}

const insert = (...values: (number | string)[]): Statement => ({
  sql: 'insert into numbers (value) values (?)',
  sets: values.map(value => [value]),
})
const write = (...statements: Statement[]): Omit<Job, 'id'> => ({ type: 'write', work: statements })
const read: Omit<Job, 'id'> = {
  type: 'read',
  work: [{ sql: 'select count(*) as count from numbers', sets: [[]] }],
}

const numbers = 'create table numbers (value integer primary key)'

test('a failing job leaves its neighbours in the group untouched', () => {
  using group = disposable(openGroup(numbers))
  const mustChange: Statement = { sql: 'delete from numbers where value = ?', sets: [[99]], mustChange: true }
  const jobs = [write(insert(1)), write(insert(2), insert(1)), write(insert(3), mustChange), write(insert(4))]
  expect(group.run(jobs)).toEqual(['done', 'failed', 'failed', 'done'])
  expect(group.results).toMatchObject([{}, { code: 'constraint' }, { code: 'no-effect' }, {}])
  expect(group.values()).toEqual([1, 4])
})

test('while something must not meet a transaction, jobs run only when it lets them, and then at its end', async () => {
  using group = disposable(openGroup(numbers))
  const ended = group.commits.whileHeld(async drain => {
    group.commits.add([{ id: 1, ...write(insert(1)) }])
    // A turn of the event loop, in which they would have run.
    await setImmediate()
    await setImmediate()
    expect(group.values()).toEqual([])
    drain()
    expect(group.values()).toEqual([1])
    group.commits.add([{ id: 2, ...write(insert(2)) }])
  })
  await ended
  await expect.poll(() => group.values()).toEqual([1, 2])
})

test('work that outlasts the database harms nobody', async () => {
  const group = openGroup(numbers)
  await group.commits.whileHeld(async drain => {
    group.commits.close()
    group.database.close()
    drain()
  })
})

test('reads of a group see all its writes, and a failing read harms nobody', () => {
  using group = disposable(openGroup(numbers))
  const broken: Omit<Job, 'id'> = { type: 'read', work: [{ sql: 'select nothing', sets: [[]] }] }
  expect(group.run([read, broken, write(insert(1, 2)), read])).toEqual(['done', 'failed', 'done', 'done'])
  const counts = group.results.filter(reply => reply.type === 'done' && reply.id !== 2)
  expect(counts).toMatchObject([{ rows: [[{ count: 2 }]] }, { rows: [[{ count: 2 }]] }])
})

test('the results of writes are sent before anything is read', () => {
  const groups: (readonly number[])[] = []
  const database = new DatabaseSync(':memory:')
  for (const { statements } of migrations) for (const statement of statements) database.exec(statement)
  database.exec(numbers)
  const commits = new GroupCommit(database, results => groups.push(results.map(({ id }) => id)))
  const jobs = [read, write(insert(1)), read, write(insert(2))]
  commits.add(jobs.map((job, id) => ({ ...job, id })))
  commits.close()
  database.close()
  expect(groups).toEqual([
    [1, 3],
    [0, 2],
  ])
})

test('when the commit fails nothing of the group has happened, everybody is told, and the next group works', () => {
  using group = disposable(
    openGroup(
      `${numbers}; create table links (value integer references numbers deferrable initially deferred)`,
    ),
  )
  const dangling: Statement = { sql: 'insert into links (value) values (?)', sets: [[77]] }
  expect(group.run([write(insert(1)), write(dangling), read])).toEqual(['failed', 'failed', 'done'])
  expect(group.values()).toEqual([])
  expect(group.run([write(insert(1))])).toEqual(['done'])
  expect(group.values()).toEqual([1])
})

test('when the disk is full, what was reported as done is there, what failed is not, and room helps', () => {
  using group = disposable(openGroup('create table numbers (value text)'))
  const pages = Number(group.database.prepare('pragma page_count').get()?.['page_count'])
  group.database.exec(`pragma max_page_count = ${pages + 4}`)
  const large = (name: string) => write(insert(name + 'x'.repeat(9_000)))
  const names = ['a', 'b', 'c', 'd']
  const results = group.run(names.map(large))
  expect(results).toContain('failed')
  expect(group.results.filter(({ type }) => type === 'failed')).toContainEqual(
    expect.objectContaining({ code: 'full' }),
  )
  const done = names.filter((_, index) => results[index] === 'done')
  expect(group.values().map(value => String(value)[0])).toEqual(done)
  group.database.exec('pragma max_page_count = 1000')
  expect(group.run(names.map(large))).toEqual(['done', 'done', 'done', 'done'])
  expect(group.values()).toHaveLength(done.length + 4)
})

test('a result may have more rows than a call may have arguments', () => {
  using group = disposable(openGroup(numbers))
  const sql = `with recursive counted (value) as (
    select 1 union all select value + 1 from counted where value < ?) select value from counted`
  expect(group.run([{ type: 'read', work: [{ sql, sets: [[200_000]] }] }])).toEqual(['done'])
  const [reply] = group.results
  expect(reply?.type === 'done' && reply.rows[0]?.length).toBe(200_000)
})

function disposable<Group extends { database: DatabaseSync; commits: GroupCommit }>(
  group: Group,
): Group & Disposable {
  return {
    ...group,
    [Symbol.dispose]() {
      group.commits.close()
      group.database.close()
    },
  }
}
