import type { LogName } from '@throughline/log'
import type { SqlRow } from '../sql.ts'
import type { Committed } from './append-queue.ts'
import { maxTextBytes } from './encrypted-notifications.ts'
import { logHash } from './followed-logs.ts'

/**
 * An append with more characters of JSON than this is only announced, and others read it from the database. A character
 * has at most 3 bytes, and the rest of a line at most 400, so every line fits into a payload.
 */
const maxToldChars = 1_800

/** An entry that a line tells, as a row that `entryFrom` reads. */
export interface ToldEntry {
  readonly epoch: string
  readonly seq: number
  readonly row: SqlRow
}

/** Returns the line that says that a log has changed. */
export function changedLine(log: LogName): string {
  return logHash(log)
}

/**
 * Returns the lines that tell other processes what was committed: an entry in each line, so that nobody has to read it
 * from the database.
 */
export function linesOf(committed: readonly Committed[]): readonly string[] {
  return committed.flatMap(appendLines)
}

/** Neither ids nor JSON contain a tab or the end of a line. */
function appendLines({ log, epoch, append, chars }: Committed): readonly string[] {
  const hash = logHash(log)
  if (chars > maxToldChars) return [hash]
  return append.sealed.map(({ runId, messageId, json }, index) =>
    [hash, epoch, append.after + 1 + index, append.at, runId, messageId, json].join('\t'),
  )
}

/** Returns the hash of the log that a line is about. */
export function hashIn(line: string): string {
  const end = line.indexOf('\t')
  return end === -1 ? line : line.slice(0, end)
}

/** Returns the entry that a line tells; `undefined` if it only says that the log has changed. */
export function entryIn(line: string): ToldEntry | undefined {
  const [, epoch, seq, at, run_id, message_id, chunk] = line.split('\t')
  return epoch === undefined
    ? undefined
    : { epoch, seq: Number(seq), row: { seq, at, run_id, message_id, chunk } }
}

/** Packs lines into as few payloads as possible. */
export function payloadsOf(lines: Iterable<string>): readonly string[] {
  const payloads: string[] = []
  let payload = ''
  let bytes = 0
  for (const line of lines) {
    const lineBytes = Buffer.byteLength(line) + 1
    if (bytes + lineBytes > maxTextBytes) {
      payloads.push(payload)
      payload = ''
      bytes = 0
    }
    payload += payload === '' ? line : `\n${line}`
    bytes += lineBytes
  }
  return payload === '' ? payloads : [...payloads, payload]
}

/** Returns the lines of a payload. */
export function linesIn(payload: string): readonly string[] {
  return payload.split('\n')
}
