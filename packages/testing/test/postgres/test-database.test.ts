import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { startOwnPostgres } from '@throughline/testing/postgres/own-postgres'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { Client } from 'pg'
import { expect, test } from 'vitest'

test('each test gets an empty database of its own', async () => {
  await using first = await testDatabase()
  await using second = await testDatabase()
  await query(first.url, 'create table only_here (id text)')
  expect(await query(second.url, "select to_regclass('only_here') as found")).toEqual([{ found: null }])
})

test('a database is dropped while somebody is connected to it', async () => {
  const database = await testDatabase()
  const client = new Client({ connectionString: database.url })
  // Two errors come: why the server ends the connection, and that it has ended.
  const ended = new Promise(resolve => client.on('error', resolve))
  await client.connect()
  await database[Symbol.asyncDispose]()
  expect(String(await ended)).toContain('terminat')
  await expect(query(database.url, 'select 1')).rejects.toThrow('does not exist')
})

test('a server of our own syncs its writes, and is gone after its end', async () => {
  const server = await startOwnPostgres()
  {
    await using database = await freshDatabase(server.url)
    expect(await query(database.url, 'show fsync')).toEqual([{ fsync: 'on' }])
  }
  await server[Symbol.asyncDispose]()
  await expect(query(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
