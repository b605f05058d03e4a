import type { LogName } from '@throughline/log'
import type { SqlRow } from '../../database/sql.ts'
import { maxPlaintextBytes } from '../notifications/encrypted-notifications.ts'
import type { Committed } from './append-queue.ts'

// The payload of a notification is a list of records, one in each line. A record has the hash of a log. Alone, it announces
// that the log has changed. With an entry behind it, nobody has to read that entry from the database.

/**
 * An append with more characters of JSON than this is only announced. A character has at most 3 bytes, and the rest of a
 * record at most 400, so every record fits into a payload.
 */
const maxSentChars = 1_800

/** An entry in a record, as a row that `entryFrom` reads. */
export interface SentEntry {
  readonly epoch: string
  readonly seq: number
  readonly row: SqlRow
}

/** Returns a record for each entry that was committed, or one for a large append. */
export function recordsOf(
  { log, epoch, append, chars }: Committed,
  hashOf: (log: LogName) => string,
): readonly string[] {
  const hash = hashOf(log)
  if (chars > maxSentChars) return [hash]
  // Neither ids nor JSON contain a tab or the end of a line.
  return append.sealed.map(({ runId, messageId, json }, index) =>
    [hash, epoch, append.after + 1 + index, append.at, runId, messageId, json].join('\t'),
  )
}

/** Returns the hash of the log that a record is about. */
export function hashIn(record: string): string {
  const end = record.indexOf('\t')
  return end === -1 ? record : record.slice(0, end)
}

/** Returns the entry of a record; `undefined` if it only announces that its log has changed. */
export function sentEntryIn(record: string): SentEntry | undefined {
  const [, epoch, seq, at, run_id, message_id, chunk] = record.split('\t')
  return epoch === undefined
    ? undefined
    : { epoch, seq: Number(seq), row: { seq, at, run_id, message_id, chunk } }
}

/** Packs records into as few payloads as possible. */
export function payloadsOf(records: Iterable<string>): readonly string[] {
  const payloads: string[] = []
  let payload = ''
  let bytes = 0
  for (const record of records) {
    const recordBytes = Buffer.byteLength(record) + 1
    if (bytes + recordBytes > maxPlaintextBytes) {
      payloads.push(payload)
      payload = ''
      bytes = 0
    }
    payload += payload === '' ? record : `\n${record}`
    bytes += recordBytes
  }
  return payload === '' ? payloads : [...payloads, payload]
}

/** Returns the records of a payload. */
export function notificationRecords(payload: string): readonly string[] {
  return payload.split('\n')
}
