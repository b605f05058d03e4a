import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import type { SqlRow } from '../sql.ts'
import { MoveError } from './move-error.ts'

/** The bytes of files that were moved. */
export interface MovedFiles {
  readonly files: number
  readonly bytes: number
  /** Files whose bytes the source does not have either. */
  readonly missing: readonly string[]
}

/** From where to where the bytes of files go. */
export interface FileMove {
  readonly from: Pick<FileBytes, 'read'>
  readonly to: Pick<FileBytes, 'read' | 'write'>
}

/** Copies the bytes of all files, one by one. `rows` are those of the table `files`. */
export async function copyFiles({ from, to }: FileMove, rows: Iterable<SqlRow>): Promise<void> {
  for (const row of rows) {
    const { chat, id } = fileOf(row)
    const bytes = await from.read(chat, id)
    if (bytes !== undefined) await to.write(chat, { id, bytes })
  }
}

/** Reads the bytes of all files on both sides, and compares them. Throws a `MoveError` that names the first difference. */
export async function compareFiles({ from, to }: FileMove, rows: Iterable<SqlRow>): Promise<MovedFiles> {
  const missing: string[] = []
  let files = 0
  let byteCount = 0
  for (const row of rows) {
    const { chat, id } = fileOf(row)
    const [before, after] = [await from.read(chat, id), await to.read(chat, id)]
    if (before === undefined && after === undefined) missing.push(`${chat.ownerId}/${chat.chatId}/${id}`)
    // What is in the target only was there before: in a bucket that both sides use.
    else if (before !== undefined && (after === undefined || !Buffer.from(before).equals(after)))
      throw new MoveError(
        'difference',
        `The copy is not right: the file ${chat.ownerId}/${chat.chatId}/${id} is not the same on both sides. Run the command again: it begins anew.`,
      )
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
