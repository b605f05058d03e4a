import { setTimeout as pause } from 'node:timers/promises'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import { type ChooseFault, startStatementProxy } from '@throughline/testing/postgres/statement-proxy'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { expect, test } from 'vitest'
import { confirmed } from '../../src/database/confirmed-writes.ts'
import { asOneOperation, withPatience } from '../../src/database/patience.ts'
import type { Sql } from '../../src/database/sql.ts'
import { openPostgres, type PostgresSql } from '../../src/postgres/open-postgres.ts'
import type { PostgresOptions } from '../../src/postgres/postgres-options.ts'

const readOnly = {
  type: 'refused',
  code: '25006',
  message: 'cannot execute INSERT in a read-only transaction',
} as const
const insert = { sql: 'insert into numbers (value) values (?)', sets: [[1]] }
const select = { sql: 'select value from numbers', sets: [[]] }

/** A database with a table of numbers, whose server fails as `faultOf` says. */
async function openFailing(faultOf: ChooseFault) {
  const database = await migratedTestDatabase()
  await using direct = await opened(database.url)
  await direct.sql.write([{ sql: 'create table numbers (value bigint)', sets: [[]] }])
  const proxy = await startStatementProxy(database.url, faultOf)
  const { sql } = await opened(proxy.url)
  return {
    sql,
    async [Symbol.asyncDispose]() {
      await sql.close()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function opened(
  url: string,
  options: PostgresOptions = {},
): Promise<{ readonly sql: PostgresSql } & AsyncDisposable> {
  const sql = await openPostgres(url, options)
  return { sql, [Symbol.asyncDispose]: () => sql.close() }
}

/** Returns the code of the error that some work throws. */
async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    error => error.code,
  )
}

async function numbersIn(sql: Sql): Promise<unknown[]> {
  const [rows = []] = await sql.read([select])
  return rows.map(row => row['value'])
}

test('work with patience waits until a standby is promoted, and work without it fails at once', async () => {
  let isStandby = true
  let attempts = 0
  await using database = await openFailing(text => {
    if (!isStandby || !text.startsWith('insert into numbers')) return undefined
    attempts += 1
    return readOnly
  })
  const { sql } = database
  expect(await codeOf(sql.write([insert]))).toBe('unwritable')
  expect(attempts).toBe(1)
  const written = withPatience({ maxWaitMs: 60_000 }, () => sql.write([insert]))
  while (attempts < 4) await pause(5)
  isStandby = false
  await written
  expect(await numbersIn(sql)).toEqual([1])
})

test('a server that stays read-only is named when the time of an operation is over', async () => {
  await using database = await openFailing(text =>
    text.startsWith('insert into numbers') ? readOnly : undefined,
  )
  const { sql } = database
  expect(await codeOf(withPatience({ maxWaitMs: 100 }, () => sql.write([insert])))).toBe('unwritable')
  expect(await numbersIn(sql)).toEqual([])
})

test('operations that fail one after the other are all made', async () => {
  let attempts = 0
  await using database = await openFailing(text => {
    if (!text.startsWith('insert into numbers')) return undefined
    attempts += 1
    // Every fourth attempt works.
    return attempts % 4 === 0 ? undefined : readOnly
  })
  const { sql } = database
  await withPatience({ maxWaitMs: 60_000 }, async () => {
    await sql.write([insert])
    await sql.write([insert])
    await asOneOperation(async () => {
      await sql.write([insert])
      await sql.write([insert])
    })
  })
  expect(await numbersIn(sql)).toEqual([1, 1, 1, 1])
  expect(attempts).toBe(16)
})

test('when its signal aborts, work waits no longer, and when it is over, what it left behind does not wait', async () => {
  await using database = await openFailing(text =>
    text.startsWith('insert into numbers') ? readOnly : undefined,
  )
  const { sql } = database
  const stop = new AbortController()
  const stopped = withPatience({ maxWaitMs: 600_000, signal: stop.signal }, () => sql.write([insert]))
  stop.abort()
  expect(await codeOf(stopped)).toBe('unwritable')
  let left: Promise<unknown> = Promise.resolve()
  const isOver = Promise.withResolvers<void>()
  await withPatience({ maxWaitMs: 600_000 }, async () => {
    left = isOver.promise.then(() => sql.write([insert]))
  })
  isOver.resolve()
  expect(await codeOf(left)).toBe('unwritable')
})

test('at its deadline, work gives up statements that got no response', async () => {
  await using database = await migratedTestDatabase()
  await using proxy = await startFaultProxy(database.url)
  await using context = await opened(proxiedUrl(database.url, proxy), { connectTimeoutMs: 500 })
  const { sql } = context
  await sql.read([{ sql: 'select 1 as one', sets: [[]] }])
  proxy.disturb({ type: 'black-hole', afterBytes: 0 })
  const late = new AbortController()
  const patience = { maxWaitMs: 600_000, deadline: late.signal }
  const read = codeOf(withPatience(patience, () => sql.read([{ sql: 'select 2 as two', sets: [[]] }])))
  const make = { sql: 'create table late (value bigint)', sets: [[]] }
  const write = codeOf(withPatience(patience, () => confirmed(() => sql.write([make]))))
  late.abort()
  expect(await read).toBe('unreachable')
  // Nobody knows what the server does with it.
  expect(await write).toBe('unconfirmed')
  proxy.resetAll()
})

test('a write that may be made twice is repeated as long as its caller waits', async () => {
  let attempts = 0
  await using database = await openFailing(text => {
    if (!text.startsWith('insert into numbers')) return undefined
    attempts += 1
    return attempts < 4 ? { type: 'lost', moment: 'before' } : undefined
  })
  const { sql } = database
  let unconfirmed = 0
  await withPatience({ maxWaitMs: 60_000 }, () =>
    confirmed(
      () => sql.write([insert]),
      () => {
        unconfirmed += 1
      },
    ),
  )
  expect({ attempts, unconfirmed }).toEqual({ attempts: 4, unconfirmed: 1 })
  expect(await numbersIn(sql)).toEqual([1])
})
