import { setTimeout } from 'node:timers/promises'
import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { z } from 'zod'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import { chatColumns, ofChat, readRows, type StoreDatabase, statement } from '../database/database.ts'
import { SqlError, type Statement } from '../database/sql.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'

/**
 * The files whose bytes were written, or are just being written, but whose rows are not saved yet. If a process ends
 * between the two, or if a message is refused after its files were written, nobody else knows of these bytes.
 */
export interface UnsavedFiles {
  /** Notes a file before its bytes are written. Waits while an earlier copy of the same file is being swept. */
  note(chat: ChatKey, id: string): Promise<void>
  /** Forgets all notes of a chat. Files of it that are not saved yet can no longer be saved. */
  forgetAll(chat: ChatKey): Promise<void>
  /**
   * Removes the bytes of files that were noted more than a day ago and never saved. Returns how many it removed. Several
   * processes may sweep at the same time.
   */
  sweep(): Promise<number>
}

/** How the files are swept. */
export interface UnsavedFilesOptions {
  readonly bytes: Pick<FileBytes, 'remove'>
  readonly now?: () => Date
}

const minAgeMs = 24 * 3_600_000
/** A sweeper that has not finished a file in this time has crashed. */
const maxSweepMs = 5 * 60_000
const waitMs = 200
const pageSize = 100

/** Returns the files in a database that are not saved yet. */
export function createUnsavedFiles(
  database: StoreDatabase,
  { bytes, now = () => new Date() }: UnsavedFilesOptions,
): UnsavedFiles {
  const { sql } = database
  const before = (ms: number) => new Date(now().getTime() - ms).toISOString()
  return {
    async note(chat, id) {
      const attempt = () => {
        const times = { at: now().toISOString(), crashedBefore: before(maxSweepMs) }
        return succeeds('no-effect', () => sql.write([noteStatement(database, { ...chat, id }, times)]))
      }
      while (!(await attempt())) await setTimeout(waitMs)
    },

    async forgetAll(chat) {
      const notes = database.build.deleteFrom('unsaved_files').where(ofChat(chat))
      await confirmed(() => sql.write([statement(notes)]))
    },

    async sweep() {
      let count = 0
      for (;;) {
        const times = { writtenBefore: before(minAgeMs), crashedBefore: before(maxSweepMs) }
        const files = await oldFiles(database, times)
        for (const file of files) {
          const mark = markStatement(database, file, { ...times, at: now().toISOString() })
          if (await succeeds('no-effect', () => sql.write([mark]))) {
            await bytes.remove(file, file.id)
            await confirmed(() => sql.write([forgetSwept(database, file)]))
            count += 1
          } else await confirmed(() => sql.write([forgetSaved(database, file)]))
        }
        if (files.length < pageSize) return count
      }
    },
  }
}

/**
 * Part of the transaction that saves the row of a file. Undoes it when the file is no longer noted: then its bytes may be
 * gone, and must be written again.
 */
export function saveUnsaved({ build }: StoreDatabase, chat: ChatKey, id: string): Statement {
  const saved = build
    .deleteFrom('unsaved_files')
    .where(ofChat(chat))
    .where('id', '=', id)
    .where('sweep_at', 'is', null)
  return statement(saved, { mustChange: true })
}

interface FileKey extends ChatKey {
  readonly id: string
}

interface NoteTimes {
  readonly at: string
  readonly crashedBefore: string
}

function noteStatement({ build }: StoreDatabase, file: FileKey, { at, crashedBefore }: NoteTimes): Statement {
  const note = build
    .insertInto('unsaved_files')
    .values({ ...chatColumns(file), id: file.id, written_at: at, sweep_at: null })
    .onConflict(conflict =>
      conflict
        .columns(['owner_id', 'chat_id', 'id'])
        .doUpdateSet({ written_at: at, sweep_at: null })
        .where(({ eb, or }) =>
          or([eb('unsaved_files.sweep_at', 'is', null), eb('unsaved_files.sweep_at', '<', crashedBefore)]),
        ),
    )
  return statement(note, { mustChange: true })
}

interface SweepTimes {
  readonly writtenBefore: string
  readonly crashedBefore: string
}

/** Returns the oldest files that were noted long ago and that nobody sweeps. */
async function oldFiles(
  database: StoreDatabase,
  { writtenBefore, crashedBefore }: SweepTimes,
): Promise<readonly FileKey[]> {
  const old = database.build
    .selectFrom('unsaved_files')
    .select(['owner_id', 'chat_id', 'id'])
    .where('written_at', '<', writtenBefore)
    .where(({ eb, or }) => or([eb('sweep_at', 'is', null), eb('sweep_at', '<', crashedBefore)]))
    .orderBy('written_at')
    .limit(pageSize)
  return (await readRows(database, old, keyRow)).map(keyFrom)
}

/**
 * Marks a file that is to be swept. From here on it can neither be saved nor noted, until it is forgotten. Has no effect
 * when another process sweeps it, when it was noted again, and when it was saved: another message has brought it, too.
 */
function markStatement(
  database: StoreDatabase,
  file: FileKey,
  { at, writtenBefore, crashedBefore }: SweepTimes & { readonly at: string },
): Statement {
  const mark = database.build
    .updateTable('unsaved_files')
    .set({ sweep_at: at })
    .where(ofChat(file))
    .where('id', '=', file.id)
    .where('written_at', '<', writtenBefore)
    .where(({ eb, or }) => or([eb('sweep_at', 'is', null), eb('sweep_at', '<', crashedBefore)]))
    .where(({ not, exists }) => not(exists(savedRow(database, file))))
  return statement(mark, { mustChange: true })
}

function forgetSwept({ build }: StoreDatabase, file: FileKey): Statement {
  const note = build.deleteFrom('unsaved_files').where(ofChat(file)).where('id', '=', file.id)
  return statement(note.where('sweep_at', 'is not', null))
}

function forgetSaved(database: StoreDatabase, file: FileKey): Statement {
  const note = database.build.deleteFrom('unsaved_files').where(ofChat(file)).where('id', '=', file.id)
  return statement(note.where(({ exists }) => exists(savedRow(database, file))))
}

function savedRow({ build }: StoreDatabase, file: FileKey) {
  return build.selectFrom('files').select('id').where(ofChat(file)).where('id', '=', file.id)
}

const keyRow = z.object({ owner_id: z.string(), chat_id: z.string(), id: z.string() })

function keyFrom({ owner_id: ownerId, chat_id: chatId, id }: z.infer<typeof keyRow>): FileKey {
  if (isOwnerId(ownerId) && isChatId(chatId)) return { ownerId, chatId, id }
  throw new SqlError('damaged', `The note of the unsaved file "${id}" is damaged.`)
}

/** The options of the sweeps. */
export interface FileSweepOptions {
  /** Called when files could not be removed. They are tried again at the next sweep. */
  readonly report: (problem: string) => void
  /** The time between two sweeps, in milliseconds. Default: an hour. */
  readonly everyMs?: number
}

/** Sweeps of files, under way until they are closed. */
export interface FileSweeps {
  /** Ends the sweeps, after the database was closed. */
  close(): Promise<void>
}

/** Removes the bytes of files that were never saved: now, and then every hour. */
export function startFileSweeps(
  unsaved: Pick<UnsavedFiles, 'sweep'>,
  { report, everyMs = 3_600_000 }: FileSweepOptions,
): FileSweeps {
  let current = sweep()
  const timer = setInterval(() => {
    current = current.then(sweep)
  }, everyMs).unref()

  async function sweep(): Promise<void> {
    try {
      await unsaved.sweep()
    } catch (error) {
      if (error instanceof SqlError && error.code === 'closed') return
      const why = error instanceof Error ? error.message : String(error)
      report(`Files that were never saved could not be removed yet: ${why}`)
    }
  }

  return {
    async close() {
      clearInterval(timer)
      await current
    },
  }
}
