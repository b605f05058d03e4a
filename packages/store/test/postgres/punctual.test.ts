import { testDatabase } from '@throughline/testing/postgres/test-database'
import { localChat } from '@throughline/testing/store/left-runs'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { openPostgresStore } from '../../src/open/open-postgres-store.ts'

test('a node beats and keeps its jobs while all other statements wait', async () => {
  await using database = await testDatabase()
  const store = await openPostgresStore(database.url, { maxConnections: 1 })
  const other = new Client({ connectionString: database.url })
  await other.connect()
  await other.query('begin; lock table chats in access exclusive mode')
  const waiting = store.chats.get(localChat('chat'))
  expect(await store.nodes.beat('a')).toEqual({ isSomeoneDead: false, silentMs: 0 })
  expect(await store.jobLeases.take('job', 'a')).toBe(1)
  await other.query('rollback')
  expect(await waiting).toBeUndefined()
  await other.end()
  await store.close()
})
