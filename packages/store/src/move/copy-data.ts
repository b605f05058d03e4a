import { createHash } from 'node:crypto'
import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import type { SqlRow } from '../database/sql.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { MoveError } from './move-error.ts'
import type { MoveTarget } from './move-target.ts'
import { fingerprint, type RowValues, rowBytes, valuesOf } from './row-values.ts'
import type { TableFacts } from './table-facts.ts'

/** A table whose rows are equal on both sides. */
export interface MovedTable {
  readonly name: string
  readonly rows: number
  /** A hash of all rows. */
  readonly checksum: string
}

const maxBatchRows = 500
const maxBatchBytes = 1024 * 1024

/** Writes all rows of a table to the target, in slices. Returns how many there are. */
export async function copyRows(
  target: Pick<MoveTarget, 'write'>,
  table: TableFacts,
  rows: Iterable<SqlRow>,
): Promise<number> {
  let batch: RowValues[] = []
  let bytes = 0
  let count = 0
  for (const row of rows) {
    const values = valuesOf(table, row)
    batch.push(values)
    bytes += rowBytes(values)
    count += 1
    if (batch.length < maxBatchRows && bytes < maxBatchBytes) continue
    await target.write(table, batch)
    batch = []
    bytes = 0
  }
  if (batch.length > 0) await target.write(table, batch)
  return count
}

/** Compares all rows of a table on both sides, one by one. Throws a `MoveError` that names the first difference. */
export async function compareRows(
  target: Pick<MoveTarget, 'fingerprints'>,
  table: TableFacts,
  rows: Iterable<SqlRow>,
): Promise<MovedTable> {
  const hash = createHash('sha256')
  let count = 0
  const others = target.fingerprints(table)[Symbol.asyncIterator]()
  for (const row of rows) {
    const values = valuesOf(table, row)
    const expected = fingerprint(values)
    const found = await others.next()
    const key = table.key.map(column => String(row[column])).join('/')
    if (found.done === true) throw different(`${table.name} ${key} is missing in the target`)
    if (found.value !== expected) throw different(`${table.name} ${key} is not the same on both sides`)
    hash.update(expected)
    count += 1
  }
  if ((await others.next()).done !== true) throw different(`the target has more rows in ${table.name}`)
  return { name: table.name, rows: count, checksum: hash.digest('hex') }
}

/** The bytes of files that were moved. */
export interface MovedFiles {
  readonly files: number
  readonly bytes: number
  /** Files whose bytes the source does not have either. */
  readonly missing: readonly string[]
}

/** From where to where the bytes of files go. */
export interface FileCopy {
  readonly from: Pick<FileBytes, 'read'>
  readonly to: Pick<FileBytes, 'read' | 'write'>
}

/** Copies the bytes of all files, one by one. `rows` are those of the table `files`. */
export async function copyFileBytes({ from, to }: FileCopy, rows: Iterable<SqlRow>): Promise<void> {
  for (const row of rows) {
    const { chat, id } = fileOf(row)
    const bytes = await from.read(chat, id)
    if (bytes !== undefined) await to.write(chat, { id, bytes })
  }
}

/** Reads the bytes of all files on both sides, and compares them. Throws a `MoveError` that names the first difference. */
export async function compareFileBytes({ from, to }: FileCopy, rows: Iterable<SqlRow>): Promise<MovedFiles> {
  const missing: string[] = []
  let files = 0
  let byteCount = 0
  for (const row of rows) {
    const { chat, id } = fileOf(row)
    const [before, after] = [await from.read(chat, id), await to.read(chat, id)]
    if (before === undefined && after === undefined) missing.push(`${chat.ownerId}/${chat.chatId}/${id}`)
    // What is in the target only was there before: in a bucket that both sides use.
    else if (before !== undefined && (after === undefined || !Buffer.from(before).equals(after)))
      throw different(`the file ${chat.ownerId}/${chat.chatId}/${id} is not the same on both sides`)
    files += 1
    byteCount += after?.byteLength ?? 0
  }
  return { files, bytes: byteCount, missing }
}

function fileOf(row: SqlRow): { readonly chat: ChatKey; readonly id: string } {
  const { owner_id: ownerId, chat_id: chatId, id } = row
  if (isOwnerId(ownerId) && isChatId(chatId)) return { chat: { ownerId, chatId }, id: String(id) }
  throw new MoveError(
    'source',
    `The row of the file "${String(id)}" is damaged. Restore the data from a backup.`,
  )
}

function different(what: string): MoveError {
  return new MoveError('difference', `The copy is not right: ${what}. Run the command again: it begins anew.`)
}
