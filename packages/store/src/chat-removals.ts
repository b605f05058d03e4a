import { setTimeout } from 'node:timers/promises'
import { type LogName, logName } from '@throughline/log'
import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import type { Files } from './files.ts'
import { forgetRemoved, rememberRemoved } from './removed-messages.ts'
import { type Database, ofChat, statement } from './schema.ts'
import { SqlError, type SqlRow, succeeds } from './sql.ts'

/** The chats that are being removed. */
export interface ChatRemovals {
  /**
   * Removes a chat with everything in it. It is gone for everyone at once; its rows are deleted in slices, with other
   * jobs in between. Resolves when all of it is deleted. Returns false when there is no such chat. `at` is the time, in
   * ISO format. Throws when something could not be deleted; then it is tried again later. If the process ends in the
   * middle, `resume` of the next one goes on.
   */
  remove(chat: ChatKey, at: string): Promise<boolean>
  /** Goes on with the removals that an earlier process has left unfinished. Resolves when they have begun. */
  resume(): Promise<void>
  /** Whether the chat is being removed. Rows of it may still be there, and nobody may see them. */
  has(chat: ChatKey): boolean
  /** Resolves when the chat is not being removed, or not any more. Then its id can be used again. */
  gone(chat: ChatKey): Promise<void>
  /** Ends the removals that are under way, after the database was closed. The next process goes on with them. */
  close(): Promise<void>
}

/** What is removed besides the rows, and who is told what could not be deleted. */
export interface RemovalOptions {
  readonly files: Pick<Files, 'removeAll'>
  readonly log: { remove(log: LogName): Promise<void> }
  readonly report: (problem: string) => void
  /** How long to wait before something that could not be deleted is tried again, in milliseconds. Default: 10,000. */
  readonly retryMs?: number
}

/** Returns the removals of chats in a database. */
export function createChatRemovals(database: Database, options: RemovalOptions): ChatRemovals {
  const { sql } = database
  const { retryMs = 10_000 } = options
  const underWay = new Map<LogName, Promise<void>>()
  const closing = new AbortController()

  /** Keeps the chat hidden until all of it is deleted. `removal` does not reject. */
  function hideDuring(chat: ChatKey, removal: Promise<void>): void {
    const name = logName(chat)
    underWay.set(name, removal)
    void removal.then(() => underWay.delete(name))
  }

  /** Tries again until everything is deleted, for example when the disk was full. */
  async function persist(chat: ChatKey, attempt: Promise<void>): Promise<void> {
    try {
      await attempt
    } catch (error) {
      if (closing.signal.aborted || (error instanceof SqlError && error.code === 'closed')) return
      const why = error instanceof Error ? error.message : String(error)
      options.report(`Chat ${chat.chatId} is removed, but not all of it is deleted yet: ${why}`)
      await setTimeout(retryMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      if (!closing.signal.aborted) await persist(chat, deleteAll(database, chat, options))
    }
  }

  return {
    async remove(chat, at) {
      // A chat that is being removed is not there for a second caller.
      if (underWay.has(logName(chat))) return false
      const marked = succeeds('no-effect', () => sql.write(markStatements(database, chat, at)))
      const deleted = marked.then(isMarked => (isMarked ? deleteAll(database, chat, options) : undefined))
      hideDuring(
        chat,
        marked.then(
          () => persist(chat, deleted),
          () => undefined,
        ),
      )
      await deleted
      return marked
    },

    async resume() {
      for (const chat of await removedChats(database))
        hideDuring(chat, persist(chat, deleteAll(database, chat, options)))
    },

    has: chat => underWay.has(logName(chat)),

    async gone(chat) {
      await underWay.get(logName(chat))
    },

    async close() {
      closing.abort()
      await Promise.all(underWay.values())
    },
  }
}

/**
 * Finishes the removals that an earlier process has left unfinished, in a store that nobody else uses. Returns how many
 * there were. Throws when something cannot be deleted.
 */
export async function finishRemovals(
  database: Database,
  options: Pick<RemovalOptions, 'files' | 'log'>,
): Promise<number> {
  const chats = await removedChats(database)
  for (const chat of chats) await deleteAll(database, chat, options)
  return chats.length
}

async function removedChats({ sql }: Database): Promise<readonly ChatKey[]> {
  const [rows = []] = await sql.read([
    { sql: 'select owner_id, id from chats where removed_at is not null', sets: [[]] },
  ])
  return rows.map(chatFrom)
}

/** Marks the chat as removed. What is small, or can be found without the chat, is deleted in the same transaction. */
function markStatements(database: Database, chat: ChatKey, at: string) {
  const { build } = database
  const mark = build
    .updateTable('chats')
    .set({ removed_at: at })
    .where('owner_id', '=', chat.ownerId)
    .where('id', '=', chat.chatId)
    .where('removed_at', 'is', null)
  return [
    statement(mark, { mustChange: true }),
    statement(forgetRemoved(database, at)),
    statement(rememberRemoved(database, chat, at)),
    statement(build.deleteFrom('channel_chats').where(ofChat(chat))),
    statement(build.deleteFrom('approvals').where(ofChat(chat))),
    statement(build.deleteFrom('files').where(ofChat(chat))),
  ]
}

/** Deletes what is left of a chat that is marked. Idempotent. The row of the chat goes last: it is the mark. */
async function deleteAll(
  { sql, build }: Database,
  chat: ChatKey,
  { files, log }: Pick<RemovalOptions, 'files' | 'log'>,
): Promise<void> {
  // Viewers learn from the log that the chat is gone, so it goes first.
  await log.remove(logName(chat))
  await files.removeAll(chat)
  for (const slice of slices) {
    const sets = [[chat.ownerId, chat.chatId]]
    while (await succeeds('no-effect', () => sql.write([{ sql: slice, sets, mustChange: true }])));
  }
  const last = build
    .deleteFrom('chats')
    .where('owner_id', '=', chat.ownerId)
    .where('id', '=', chat.chatId)
    .where('removed_at', 'is not', null)
  await sql.write([statement(last)])
}

// A part may be large, so fewer of them are deleted at a time.
const slices = [sliceOf('parts', 200), sliceOf('messages', 1_000), sliceOf('runs', 1_000)]

function sliceOf(table: string, count: number): string {
  return `delete from ${table} where rowid in
    (select rowid from ${table} where owner_id = ? and chat_id = ? limit ${count})`
}

function chatFrom(row: SqlRow): ChatKey {
  const { owner_id: ownerId, id: chatId } = row
  if (isOwnerId(ownerId) && isChatId(chatId)) return { ownerId, chatId }
  throw new SqlError('failed', `The row of chat "${String(chatId)}" is damaged.`)
}
