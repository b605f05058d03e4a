import { crc32 } from 'node:zlib'
import type { SqlRow } from '../database/sql.ts'

/** A draft as it is written: its chunk is JSON. */
interface WrittenDraft {
  readonly runId: string
  readonly messageId: string
  readonly json: string
}

/** Where the first of some entries is, and when they were written. */
interface Written {
  readonly first: number
  readonly at: number
}

/**
 * Writes entries as one text, one line each: a checksum, the run, the message and the chunk. Ids have no spaces, and JSON
 * has no line breaks. So an append is one row, whatever it holds.
 */
export function encodeEntries(drafts: readonly WrittenDraft[], { first, at }: Written): string {
  return drafts
    .map(({ runId, messageId, json }, index) => {
      const crc = checksum({ seq: first + index, at, run_id: runId, message_id: messageId, chunk: json })
      return `${crc} ${runId} ${messageId} ${json}`
    })
    .join('\n')
}

/** Returns the entries of such a text as rows of the table `log_entries`. */
export function decodeEntries(body: string, { first, at }: Written): readonly SqlRow[] {
  return body.split('\n').map((line, index) => {
    const crcEnd = line.indexOf(' ')
    const runEnd = line.indexOf(' ', crcEnd + 1)
    const messageEnd = line.indexOf(' ', runEnd + 1)
    return {
      seq: first + index,
      at,
      run_id: line.slice(crcEnd + 1, runEnd),
      message_id: line.slice(runEnd + 1, messageEnd),
      chunk: line.slice(messageEnd + 1),
      crc: Number(line.slice(0, crcEnd)),
    }
  })
}

/**
 * Returns whether an entry has the bytes that were written. SQLite does not check its pages, so a bit that the disk has
 * changed would otherwise be shown. Entries of earlier versions have no checksum.
 */
export function isIntact(row: SqlRow): boolean {
  const { crc } = row
  return crc === null || crc === undefined || crc === checksum(row)
}

function checksum({ seq, at, run_id, message_id, chunk }: SqlRow): number {
  return crc32(`${seq} ${at} ${run_id} ${message_id} ${chunk}`)
}
