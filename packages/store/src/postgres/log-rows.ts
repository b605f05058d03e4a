import type { LogExtent, LogName } from '@throughline/log'
import { type Entry, isChunk, isMessageId, isRunId } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { SqlError, type SqlRow } from '../sql.ts'
import { publicEpoch } from './log-timeline.ts'

/** What the database knows of a log. */
export interface LogHead extends LogExtent {
  readonly fence: number
  /** Whether the log was last opened on the timeline that the server has now. */
  readonly isOnTimeline: boolean
}

/** Reads a row of `headSql`. Returns `undefined` for a row without a log. */
export function headFrom(row: SqlRow | undefined): LogHead | undefined {
  if (row === undefined || row['epoch'] === null || row['epoch'] === undefined) return undefined
  return {
    epoch: publicEpoch({ epoch: String(row['epoch']), generation: String(row['generation']) }),
    fence: Number(row['fence']),
    seq: Number(row['head']),
    trimmed: Number(row['trimmed']),
    isOnTimeline: row['is_on_timeline'] !== false,
  }
}

/** Reads the entry of a row. Throws when the row is damaged or missing, so that no reader gets a wrong entry or a gap. */
export function entryFrom(row: SqlRow | undefined, { log, seq }: { log: LogName; seq: number }): Entry {
  const runId = row?.['run_id']
  const messageId = row?.['message_id']
  const chunk = parseJson(String(row?.['chunk']))
  if (Number(row?.['seq']) !== seq || !isRunId(runId) || !isMessageId(messageId) || !isChunk(chunk)) {
    throw new SqlError(
      'damaged',
      `Entry ${seq} of log ${log} is damaged. Restore the database from a backup.`,
    )
  }
  return { seq, at: Number(row?.['at']), runId, messageId, chunk }
}
