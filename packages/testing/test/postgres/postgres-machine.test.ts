import {
  type MachineServer,
  PostgresMachine,
  promote,
  untilStreaming,
} from '@throughline/testing/postgres/postgres-machine'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

let machine: PostgresMachine

beforeAll(async () => {
  machine = await PostgresMachine.open()
  await machine.createData('empty')
})

afterAll(() => machine[Symbol.asyncDispose]())

test('a server that crashes has at the same address what it had confirmed', async () => {
  await machine.copyData('empty', 'crashing')
  const first = await machine.start('crashing')
  await query(first, 'create table kept (id int)')
  await first.stop('immediate')
  await expect(query(first, 'select 1')).rejects.toThrow('ECONNREFUSED')

  const again = await machine.start('crashing', { port: first.port })
  expect(again.url).toBe(first.url)
  expect(await query(again, 'select * from kept')).toEqual([])
})

test('a copy of a running server follows it, is read-only, and takes over with a new timeline', async () => {
  await machine.copyData('empty', 'primary')
  const primary = await machine.start('primary')
  await query(primary, 'create table copied as select 1 as id')
  await machine.backUp(primary, 'standby')
  const standby = await machine.start('standby', { standbyOf: primary })
  await untilStreaming(primary, standby)
  await expect(query(standby, 'create table refused (id int)')).rejects.toThrow('read-only')
  expect(await query(standby, 'select id from copied')).toEqual([{ id: 1 }])

  await primary.stop('immediate')
  await promote(standby)
  await query(standby, 'insert into copied values (2)')
  const timeline = await query(standby, 'select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as name')
  expect(timeline).toEqual([{ name: '00000002' }])
})

test('a backup of a running server is a server of its own', async () => {
  await machine.copyData('empty', 'running')
  const running = await machine.start('running')
  await query(running, 'create table known (id int)')
  await machine.backUp(running, 'restored')
  await query(running, 'create table newer (id int)')

  const restored = await machine.start('restored')
  const found = await query(
    restored,
    "select to_regclass('known')::text as known, to_regclass('newer') as newer",
  )
  expect(found).toEqual([{ known: 'known', newer: null }])
})

test('a server that does not start says why', async () => {
  await machine.copyData('empty', 'wrong')
  await expect(machine.start('wrong', { settings: { shared_buffers: 'many' } })).rejects.toThrow(
    'shared_buffers',
  )
})

async function query({ url }: MachineServer, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
