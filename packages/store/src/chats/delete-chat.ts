import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import { succeeds } from '../database/confirmed-writes.ts'
import { chatKeyFrom, type StoreDatabase } from '../database/database.ts'
import type { Statement } from '../database/sql.ts'
import type { Files } from '../files/files.ts'
import {
  allMarked,
  lastStatement,
  type RemovalLease,
  renewStatement,
  sliceStatements,
} from './removal-statements.ts'

/** What a chat has besides its rows. */
export interface RemovedParts {
  readonly files: Pick<Files, 'removeAll'>
  readonly log: { remove(log: LogName): Promise<void> }
  /** Needed when several processes use the database. */
  readonly lease?: RemovalLease | undefined
}

/**
 * Deletes what is left of a chat that is marked as removed. Idempotent. The row of the chat goes last: it is the mark. If
 * another process has taken the removal over, nothing more is deleted here: the chat may be gone already, and there may be
 * a new one with the same id.
 */
export async function deleteChat(database: StoreDatabase, chat: ChatKey, parts: RemovedParts): Promise<void> {
  const { sql } = database
  const { files, log, lease } = parts
  const guard = lease === undefined ? [] : [renewStatement(database, chat, lease)]
  /** Writes only while this process has the lease. Returns false when it has not, or nothing was left to change. */
  const write = (statements: readonly Statement[]) =>
    succeeds('no-effect', () => sql.write([...guard, ...statements]))

  const renewing = lease === undefined ? undefined : keepRenewing(() => write([]), lease)
  try {
    // Viewers learn from the log that the chat is gone, so it goes first.
    if (lease !== undefined && !(await write([]))) return
    await log.remove(logName(chat))
    if (lease !== undefined && !(await write([]))) return
    await files.removeAll(chat)
    for (const slice of sliceStatements(chat)) while (await write([slice]));
    await write([lastStatement(database, chat)])
  } finally {
    clearInterval(renewing)
  }
}

/**
 * Finishes the removals that an earlier process has left unfinished, in a store that nobody else uses. Returns how many
 * there were. Throws when something cannot be deleted.
 */
export async function finishRemovals(database: StoreDatabase, parts: RemovedParts): Promise<number> {
  const [rows = []] = await database.sql.read([allMarked])
  for (const row of rows) await deleteChat(database, chatKeyFrom(row), parts)
  return rows.length
}

/** Renews the lease while a step takes long, such as deleting many files. */
function keepRenewing(renew: () => Promise<unknown>, { ms }: RemovalLease): NodeJS.Timeout {
  // If it fails, the next step finds out.
  return setInterval(() => void renew().catch(() => undefined), ms / 4).unref()
}
