import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { EarlierAppend } from './earlier-log.ts'

// The layout before the hot tail: the entries of each log lie together, so each small append writes to a page of its own.
// The head of a log is a row that each append updates. All appends that wait share a commit, and each has a savepoint.
interface Job extends EarlierAppend {
  readonly id: number
}

const { path, logs }: { readonly path: string; readonly logs: number } = workerData
const database = open()
const advance = database.prepare('update logs set seq = seq + 1 where name = ? and fence = 1 returning seq')
const insert = database.prepare(
  `insert into log_entries (epoch, seq, at, run_id, message_id, chunk)
    select epoch, seq, ?, ?, ?, ? from logs where name = ?`,
)
let waiting: Job[] = []

parentPort?.on('message', (job: Job) => {
  waiting.push(job)
  if (waiting.length === 1) setImmediate(commit)
})
parentPort?.postMessage('open')

function commit(): void {
  const jobs = waiting
  waiting = []
  database.exec('begin immediate')
  for (const job of jobs) append(job)
  database.exec('commit')
  for (const { id } of jobs) parentPort?.postMessage({ id })
}

function append({ log, runId, messageId, json, count }: EarlierAppend): void {
  const name = nameOf(log)
  database.exec('savepoint job')
  for (let entry = 0; entry < count; entry += 1) {
    advance.all(name)
    insert.run(Date.now(), runId, messageId, json, name)
  }
  database.exec('release job')
}

function open(): DatabaseSync {
  const opened = new DatabaseSync(path)
  opened.exec('pragma locking_mode = exclusive')
  opened.exec('pragma journal_mode = wal')
  opened.exec('pragma synchronous = full')
  opened.exec('create table logs (name text primary key, epoch text, fence bigint, seq bigint)')
  opened.exec(
    `create table log_entries (epoch text, seq bigint, at bigint, run_id text, message_id text, chunk text,
      primary key (epoch, seq)) without rowid`,
  )
  const add = opened.prepare('insert into logs values (?, ?, 1, 0)')
  opened.exec('begin')
  for (let log = 0; log < logs; log += 1) add.run(nameOf(log), crypto.randomUUID())
  opened.exec('commit')
  return opened
}

function nameOf(log: number): string {
  return `owner-of-the-logs/chat-number-${log}`
}
