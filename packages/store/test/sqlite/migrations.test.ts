import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import {
  ada,
  adasChat,
  answer,
  at,
  chatId,
  endOf,
  startOf,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { migrations } from '../../src/database/migrations.ts'
import { openStore } from '../../src/open/open-store.ts'

const run = testRun('run')

test('a database from before answers could be made anew keeps all it had, and can be gone on with', async () => {
  await using folder = await temporaryFolder()
  writeVersion3(`${folder.path}/throughline.sqlite`)
  await using store = await opened(folder.path)
  const { chats, log, messages, runs } = store
  expect(await chats.list(ada, { limit: 5 })).toEqual([
    { id: chatId, title: 'Old', createdAt: at(0), updatedAt: at(1) },
  ])
  const question = userMessage('question')
  const first = answer('run-answer', 'Yes.', 'No.')
  expect(await messages.load(adasChat)).toEqual({
    savedSeq: 2,
    messages: [question, first].map(message => ({ message, runId: 'run' })),
  })
  expect(await runs.get(ada, run.id)).toEqual({ ...run, status: 'finished', kind: 'answer' })
  expect(await runs.ofUserMessage(adasChat, run.userMessageId)).toMatchObject({ id: 'run' })
  expect(await runs.ofAnswer(adasChat, run.answerId)).toMatchObject({ id: 'run' })
  const entries = await log.read(logName(adasChat), { epoch: 'epoch', seq: 0 }, 5)
  expect(entries).toEqual([
    { seq: 1, at: 0, runId: 'run', messageId: 'question', chunk: { type: 'start' } },
    { seq: 2, at: 0, runId: 'run', messageId: 'run-answer', chunk: { type: 'finish' } },
  ])

  const again = { ...testRun('again', { minute: 2 }), afterSeq: 2, kind: 'another-answer' as const }
  expect(await runs.claim(again, { ...startOf(again), userMessage: undefined })).toBe(true)
  const second = answer('again-answer', 'Perhaps.')
  expect(await runs.end(again, endOf(again, [second], { seq: 3 }))).toBe(true)
  const saved = await messages.load(adasChat)
  expect(saved?.messages.map(({ message }) => message)).toEqual([question, first, second])
})

test('a run that a process of before left behind is still found', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/throughline.sqlite`
  writeVersion3(path)
  const old = new DatabaseSync(path)
  old.exec("update runs set status = 'running', ended_at = null")
  old.close()
  await using store = await opened(folder.path)
  expect(await store.runs.unfinished()).toEqual([run])
})

/** A file as the program left it whose newest migration was the third. */
function writeVersion3(path: string): void {
  const database = new DatabaseSync(path)
  const insert = (table: string, ...values: (string | number | null)[]) =>
    database.prepare(`insert into ${table} values (${values.map(() => '?').join()})`).run(...values)
  database.exec(
    'create table migrations (version bigint primary key, name text not null, applied_at text not null)',
  )
  for (const [index, { name, statements }] of migrations.slice(0, 3).entries()) {
    for (const statement of statements) database.exec(statement)
    insert('migrations', index + 1, name, new Date().toISOString())
  }
  insert('chats', 'ada', 'chat', 'Old', at(0), at(1), 2)
  insert('messages', 'ada', 'chat', 'question', 'user', '{"senderName":"Ada"}', 'run', 1)
  insert('messages', 'ada', 'chat', 'run-answer', 'assistant', '{"status":"finished"}', 'run', 2)
  insert('parts', 'ada', 'chat', 'question', 0, '{"type":"text","text":"Hello?"}')
  insert('parts', 'ada', 'chat', 'run-answer', 0, '{"type":"text","text":"Yes."}')
  insert('parts', 'ada', 'chat', 'run-answer', 1, '{"type":"text","text":"No."}')
  insert('runs', 'ada', 'run', 'chat', 'master', 'question', 'run-answer', 'finished', 0, at(0), at(1))
  insert('logs', logName(adasChat), 'epoch', 1, 2)
  insert('log_entries', 'epoch', 1, 'run', 'question', '{"type":"start"}')
  insert('log_entries', 'epoch', 2, 'run', 'run-answer', '{"type":"finish"}')
  database.close()
}

async function opened(folder: string) {
  const store = await openStore(folder)
  return { ...store, [Symbol.asyncDispose]: () => store.close() }
}
