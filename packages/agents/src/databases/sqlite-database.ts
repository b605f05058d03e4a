import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limitConcurrency } from '@throughline/protocol/internal'
import {
  type AgentDatabase,
  DatabaseError,
  type DatabaseQuery,
  type DatabaseRows,
  type QueryLimits,
} from './database.ts'
import type { SqliteJob, SqliteOutcome } from './sqlite-job.ts'

/** Makes a database of a file. Each statement runs in a process of its own, which is ended when it takes too long. */
export function openSqliteDatabase(path: string, limits: QueryLimits): AgentDatabase {
  const inTurn = limitConcurrency(maxProcesses)
  const run = (query: DatabaseQuery, isWrite: boolean, signal: AbortSignal | undefined) =>
    inTurn(() => outcomeOf({ ...query, ...limits, path, isWrite }, signal))
  return {
    dialect: 'SQLite',
    catalog,
    async select(query, signal): Promise<DatabaseRows> {
      const outcome = await run(query, false, signal)
      if (outcome.type === 'rows') return outcome.rows
      throw refusalOf(outcome)
    },
    async write(query, signal): Promise<number> {
      const outcome = await run(query, true, signal)
      if (outcome.type === 'written') return outcome.changes
      throw refusalOf(outcome)
    },
  }
}

/** How many statements run at a time on one file. */
const maxProcesses = 2
/** A process that needs more memory is ended. SQLite itself allows a value of 1 GB. */
const maxProcessBytes = 512 * 1_024 * 1_024
const watchMs = 100

const catalog = {
  tables: `select name, type from pragma_table_list
    where schema = 'main' and type in ('table', 'view', 'virtual') and name not like 'sqlite\\_%' escape '\\'
      and (?1 = '' or instr(lower(name), lower(?1)) > 0) order by name`,
  columns: `select name, type, "notnull" as not_null, dflt_value as default_value, pk as primary_key
    from pragma_table_xinfo(?1) where hidden <> 1`,
  constraints: `select "from" || ' references ' || "table" || coalesce('(' || "to" || ')', '') as constraint_text
    from pragma_foreign_key_list(?1)`,
}

const program = fileURLToPath(new URL(`./serve-sqlite-job${extname(import.meta.url)}`, import.meta.url))

async function outcomeOf(job: SqliteJob, signal: AbortSignal | undefined): Promise<SqliteOutcome> {
  signal?.throwIfAborted()
  // The process gets no environment: there are keys in it.
  const child = fork(program, [], { env: {}, execArgv: quiet, serialization: 'advanced', stdio })
  const ended = Promise.withResolvers<SqliteOutcome>()
  const end = (error: unknown) => ended.reject(error)
  const onAbort = () => end(signal?.reason)
  const timer = setTimeout(() => end(tooSlow(job)), job.timeoutMs)
  const watch = setInterval(() => void endWhenLarge(child, end), watchMs)
  signal?.addEventListener('abort', onAbort)
  child.once('message', (outcome: SqliteOutcome) => ended.resolve(outcome))
  child.once('error', () => end(new DatabaseError('unreachable', 'The database cannot be read now.')))
  child.once('disconnect', () =>
    end(new DatabaseError('refused', 'The statement broke the process that ran it.')),
  )
  try {
    child.send(job)
    return await ended.promise
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    signal?.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
  }
}

const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc']
const quiet = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=128']

/** Only Linux tells how much memory another process has. Elsewhere the time is the only limit. */
async function endWhenLarge({ pid }: ChildProcess, end: (error: unknown) => void): Promise<void> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => undefined)
  const pages = Number(statm?.split(' ')[1] ?? 0)
  if (pages * 4_096 > maxProcessBytes)
    end(new DatabaseError('too-large', 'The statement needs too much memory. Ask for less at a time.'))
}

function tooSlow({ timeoutMs }: SqliteJob): DatabaseError {
  const advice = 'Ask for less: fewer rows, or a condition on an indexed column.'
  return new DatabaseError(
    'too-slow',
    `The statement took more than ${timeoutMs} ms and was ended. ${advice}`,
  )
}

function refusalOf(outcome: SqliteOutcome): DatabaseError {
  const message = outcome.type === 'refused' ? outcome.message : 'The statement returned something else.'
  return new DatabaseError('refused', `SQLite: ${message}`)
}
