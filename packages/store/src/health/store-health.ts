import { stat } from 'node:fs/promises'
import { SqlError, type Statement } from '../database/sql.ts'
import type { SqliteThread } from '../sqlite/open-sqlite.ts'

/** Whether the store can be written. `problem` is for the operator: it may have a path in it. */
export type StoreHealth =
  | { readonly status: 'ok' }
  | {
      /**
       * - `full`: the disk has no room.
       * - `unwritable`: the disk or the file cannot be written, such as when the disk was made read-only.
       * - `gone`: the database file was deleted, moved or replaced. What is written now is lost at the next start.
       * - `unreachable`: the database server does not respond. Later it may work again.
       * - `closed`: the database does not respond. Only a restart helps.
       */
      readonly status: 'full' | 'unwritable' | 'gone' | 'unreachable' | 'closed'
      readonly problem: string
    }

interface WatchOptions {
  /** The data folder, which the problems name. */
  readonly folder: string
  readonly files: WatchedFiles
  readonly now?: () => number
}

const maxAgeMs = 1_000

/**
 * Watches a database. Returns a function that returns its health, which may be up to a second old, and never rejects. A
 * job that fails because of the disk is remembered. From then on, each look at the health tries to write, until that
 * works. While nothing has failed, a look writes nothing.
 */
export function watchHealth(
  database: SqliteThread,
  { folder, files, now = () => performance.now() }: WatchOptions,
): () => Promise<StoreHealth> {
  let failure: SqlError | undefined
  let last: { readonly at: number; readonly health: Promise<StoreHealth> } | undefined

  database.onFailure(error => {
    if (!isOfDisk(error)) return
    // The next look must not return a result from before the failure.
    if (failure === undefined) last = undefined
    failure = error
  })

  async function look(): Promise<StoreHealth> {
    try {
      // A database that is closed has deleted its -wal file, so this comes first.
      await database.read([readNothing])
      const lost = await files.firstLost()
      if (lost !== undefined) return gone(lost)
      if (failure !== undefined) await database.write(writeProbe)
      failure = undefined
      return { status: 'ok' }
    } catch (error) {
      return failed(folder, error)
    }
  }

  return async () => {
    try {
      database.assertOpen()
    } catch (error) {
      return failed(folder, error)
    }
    if (last === undefined || now() - last.at >= maxAgeMs) last = { at: now(), health: look() }
    return last.health
  }
}

const readNothing: Statement = { sql: 'select 1', sets: [[]] }

// Needs as much room as a small answer. Nothing of it stays.
const writeProbe: readonly Statement[] = [
  'create table write_probe (bytes blob)',
  'insert into write_probe values (zeroblob(65536))',
  'drop table write_probe',
].map(sql => ({ sql, sets: [[]] }))

function isOfDisk(error: unknown): error is SqlError {
  return error instanceof SqlError && (error.code === 'full' || error.code === 'unwritable')
}

function failed(folder: string, error: unknown): StoreHealth {
  const reason = error instanceof Error ? error.message : String(error)
  if (!isOfDisk(error)) {
    return {
      status: 'closed',
      problem: `The database in ${folder} does not respond (${reason}). Restart the server.`,
    }
  }
  return error.code === 'full'
    ? { status: 'full', problem: `The disk of ${folder} is full (${reason}). Make room.` }
    : {
        status: 'unwritable',
        problem: `The data folder ${folder} cannot be written (${reason}). Make it writable.`,
      }
}

function gone(path: string): StoreHealth {
  return {
    status: 'gone',
    problem: `${path} was deleted, moved or replaced while the server runs. What is written now is lost. Stop the server, put the data folder back, and start again.`,
  }
}

/** Files that a process has open, and that somebody else may delete, move or replace meanwhile. */
export interface WatchedFiles {
  /** Returns the first path that no longer leads to the file that was there at first; `undefined` when all do. */
  firstLost(): Promise<string | undefined>
}

/**
 * Remembers which files stand at these paths now. A process that has a file open goes on writing to it after its path
 * is gone, and notices nothing: what it writes then is lost when it ends.
 */
export async function watchFiles(paths: readonly string[]): Promise<WatchedFiles> {
  const known = await Promise.all(paths.map(async path => ({ path, identity: await identityOf(path) })))
  return {
    async firstLost() {
      for (const { path, identity } of known) {
        if ((await identityOf(path)) !== identity) return path
      }
      return undefined
    },
  }
}

/** Returns what identifies a file on this machine; `undefined` when the path leads to none. */
async function identityOf(path: string): Promise<string | undefined> {
  // On Windows, inode numbers can be larger than a `number` can hold.
  // A path at which this process may not look leads to no file that it knows.
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.dev}:${found.ino}`
}
