import { openPostgresStore } from '@throughline/store/testing'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { testLog, textDraft } from '../../src/log/log-drafts.ts'
import { urlForNode, witnessDatabase } from '../../src/nodes/database-witness.ts'
import { testDatabase } from '../../src/postgres/test-database.ts'

const log = testLog('chat')

test('appends of the node that has the lease are sound, and an entry that another node writes is found', async () => {
  await using database = await testDatabase()
  const first = await openPostgresStore(urlForNode(database.url, 'first'))
  const second = await openPostgresStore(urlForNode(database.url, 'second'))
  await using witness = await witnessDatabase(database.url)

  await first.log.append(await first.log.acquire(log), 0, [textDraft('one'), textDraft('two')])
  await second.log.append(await second.log.acquire(log), 2, [textDraft('three')])
  expect(await witness.staleAppends()).toEqual([])

  const stale = new Client({ connectionString: urlForNode(database.url, 'first') })
  await stale.connect()
  await stale.query(
    `insert into log_entries select epoch, 4, 0, 'run', 'message', '{}' from logs where name = '${log}'`,
  )
  await stale.end()
  expect(await witness.staleAppends()).toEqual([{ log, seq: 4, writer: 'first', holder: 'second' }])
  await first.close()
  await second.close()
})

test('the nodes of a run are written down in their order', async () => {
  await using database = await testDatabase()
  const store = await openPostgresStore(urlForNode(database.url, 'first'))
  await using witness = await witnessDatabase(database.url)
  await store.nodes.beat('node_1')
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    `insert into chats (owner_id, id, title, created_at, updated_at, saved_seq) values ('local', 'chat', '', '', '', 0)`,
  )
  await client.query(
    `insert into runs (owner_id, id, chat_id, agent, user_message_id, answer_id, status, kind, after_seq, started_at, node_id, attempt)
     values ('local', 'run', 'chat', 'a', 'q', 'm', 'running', 'answer', 0, '', 'node_1', 0)`,
  )
  await client.query(`update runs set node_id = '', status = 'interrupted'`)
  await client.end()
  expect(await witness.ownerChanges()).toMatchObject([
    { runId: 'run', chatId: 'chat', node: 'first', status: 'running' },
    { runId: 'run', node: null, status: 'interrupted' },
  ])
  expect(await witness.countRuns()).toEqual({ interrupted: 1 })
  await store.close()
})
