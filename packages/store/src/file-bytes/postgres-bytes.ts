import type { ChatKey } from '@throughline/protocol'
import { z } from 'zod'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import { type Sql, SqlError, type SqlRow } from '../database/sql.ts'
import type { FileBytes } from './file-bytes.ts'

/** The size of the slices in which files are stored: neither the server nor a connection has to hold a large row at once. */
const sliceBytes = 256 * 1024
/** How many slices are read, and deleted, at a time. */
const slicesPerRead = 8
const slicesPerDelete = 64

/** Returns the files of chats in a table of a Postgres database. */
export function postgresBytes(sql: Sql): FileBytes {
  return {
    location: 'the database',

    async write(chat, { id, bytes }) {
      const sets = slicesOf(bytes).map((slice, index) => [...keyOf(chat, id), index, bytes.byteLength, slice])
      // All slices are in one transaction. So if one of them is there already, all are.
      await confirmed(() => sql.write([{ sql: insertSql, sets }]))
    },

    read: (chat, id) => readSlices(sql, keyOf(chat, id)),

    async remove(chat, id) {
      await confirmed(() => sql.write([{ sql: deleteSql, sets: [keyOf(chat, id)] }]))
    },

    async removeAll({ ownerId, chatId }) {
      const some = { sql: deleteSomeSql, sets: [[ownerId, chatId]], mustChange: true }
      while (await succeeds('no-effect', () => sql.write([some])));
    },
  }
}

type FileKey = readonly [ownerId: string, chatId: string, id: string]

function keyOf({ ownerId, chatId }: ChatKey, id: string): FileKey {
  return [ownerId, chatId, id]
}

/** Cuts bytes into slices. An empty file has one empty slice, so it differs from one that does not exist. */
function slicesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.byteLength / sliceBytes))
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * sliceBytes, (index + 1) * sliceBytes),
  )
}

/** Reads the slices of a file, some at a time. If the file is removed meanwhile, it does not exist. */
async function readSlices(sql: Sql, key: FileKey): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let whole: Uint8Array<ArrayBuffer> | undefined
  for (let next = 0; ; next += slicesPerRead) {
    const [rows = []] = await sql.read([{ sql: readSql, sets: [[...key, next]] }])
    for (const { idx, byte_count, bytes } of rows.map(sliceFrom)) {
      whole ??= new Uint8Array(byte_count)
      whole.set(bytes, idx * sliceBytes)
      if (idx * sliceBytes + bytes.byteLength === byte_count) return whole
    }
    if (rows.length < slicesPerRead) return undefined
  }
}

const sliceRow = z.object({ idx: z.number(), byte_count: z.number(), bytes: z.instanceof(Uint8Array) })

function sliceFrom(row: SqlRow): z.infer<typeof sliceRow> {
  const parsed = sliceRow.safeParse(row)
  if (parsed.success) return parsed.data
  throw new SqlError('damaged', 'A slice of a file is damaged. Restore the database from a backup.')
}

const insertSql = `insert into file_bytes (owner_id, chat_id, file_id, idx, byte_count, bytes)
  values (?, ?, ?, ?, ?, ?) on conflict (owner_id, chat_id, file_id, idx) do nothing`
const readSql = `select idx, byte_count, bytes from file_bytes
  where owner_id = ? and chat_id = ? and file_id = ? and idx >= ? order by idx limit ${slicesPerRead}`
const deleteSql = 'delete from file_bytes where owner_id = ? and chat_id = ? and file_id = ?'
const deleteSomeSql = `delete from file_bytes where (owner_id, chat_id, file_id, idx) in
  (select owner_id, chat_id, file_id, idx from file_bytes where owner_id = ? and chat_id = ? limit ${slicesPerDelete})`
