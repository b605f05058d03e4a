import { fileBytesSuite } from '@throughline/testing/files/file-bytes-suite'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { adasChat } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import type { Sql } from '../../src/database/sql.ts'
import { postgresBytes } from '../../src/file-bytes/postgres-bytes.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'

async function openBytes() {
  const database = await migratedTestDatabase()
  const sql = await openPostgres(database.url)
  return {
    sql,
    bytes: postgresBytes(sql),
    async [Symbol.asyncDispose]() {
      await sql.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function countSlices(sql: Sql): Promise<number> {
  const [rows = []] = await sql.read([{ sql: 'select count(*) as n from file_bytes', sets: [[]] }])
  return Number(rows[0]?.['n'])
}

fileBytesSuite('Postgres', openBytes)

const megabytes = (count: number) => new Uint8Array(count * 1024 * 1024).fill(5)

test('no row is larger than 256 KB, and a large file is read and removed in several statements', async () => {
  await using context = await openBytes()
  const { sql, bytes } = context
  for (const id of ['file_1', 'file_2', 'file_3']) await bytes.write(adasChat, { id, bytes: megabytes(10) })
  expect(await countSlices(sql)).toBe(120)
  const [largest] = await sql.read([{ sql: 'select max(length(bytes)) as n from file_bytes', sets: [[]] }])
  expect(largest).toEqual([{ n: 256 * 1024 }])
  const calls: string[] = []
  const counted = postgresBytes({
    close: () => sql.close(),
    read(statements) {
      calls.push('read')
      return sql.read(statements)
    },
    write(statements) {
      calls.push('write')
      return sql.write(statements)
    },
  })
  expect((await counted.read(adasChat, 'file_1'))?.byteLength).toBe(10 * 1024 * 1024)
  expect(calls).toEqual(['read', 'read', 'read', 'read', 'read'])
  calls.length = 0
  await counted.removeAll(adasChat)
  expect(calls).toEqual(['write', 'write', 'write'])
  expect(await countSlices(sql)).toBe(0)
})

test('a file that is removed while it is read does not exist, and is never returned in part', async () => {
  await using context = await openBytes()
  const { sql, bytes } = context
  await bytes.write(adasChat, { id: 'file_1', bytes: megabytes(5) })
  let reads = 0
  const interrupted = postgresBytes({
    close: () => sql.close(),
    write: statements => sql.write(statements),
    async read(statements) {
      reads += 1
      if (reads === 2) await bytes.removeAll(adasChat)
      return sql.read(statements)
    },
  })
  expect(await interrupted.read(adasChat, 'file_1')).toBeUndefined()
})
