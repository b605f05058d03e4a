import { closeSteps, segment, segmentsOf } from '@throughline/agents/internal'
import { type Chunk, type EndStatus, findMessage, type MessageRecord, messageOf } from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import { hasAnswer, type Run, type RunEnd, type Store } from '@throughline/store'
import type { RunLog } from './run-log.ts'

/**
 * Saves a run as its log shows it. The messages come from the same fold that every page uses. Messages and end are
 * saved in one transaction.
 */
export async function saveRun(
  store: Store,
  run: Run,
  { runLog, at }: { runLog: RunLog; at: string },
): Promise<EndStatus> {
  const status = hasAnswer(run) ? endStatusOf(run, runLog) : 'finished'
  await store.runs.end(run, { status, at, ...savedFrom(run, runLog) })
  runLog.release()
  return status
}

/** Returns what is saved of a run's log when the run ends: its messages, and its last entry. */
export function savedFrom(run: Run, { chat }: RunLog): Pick<RunEnd, 'seq' | 'messages'> {
  const messages = keyedToArray(chat.messages).map(record => ({
    message: messageOf(record),
    runId: run.id,
    seq: record.firstSeq,
  }))
  return { seq: chat.seq, messages }
}

/**
 * Ends in the log every message that is still being written: the messages of sub-agents before the answer of their
 * master.
 */
export async function endAnswer(
  run: Run,
  runLog: RunLog,
  end: { readonly status: EndStatus; readonly text: string },
): Promise<void> {
  const { chat, ended } = runLog
  const open = keyedToArray(chat.messages).filter(({ id, metadata }) => metadata?.status && !ended.has(id))
  for (const record of open.toReversed()) {
    for (const chunk of endChunks(record, end))
      await runLog.emit({ runId: run.id, messageId: record.id, chunk })
  }
  await runLog.flush()
}

function endChunks(record: MessageRecord, end: Parameters<typeof endAnswer>[2]): readonly Chunk[] {
  const { status, statusText } = record.metadata ?? {}
  if (status === 'streaming')
    return [...closeSteps(record), ...segment(segmentsOf(record), { type: 'end', ...end }).chunks]
  // A status is written right before the end that belongs to it. The process died in between.
  const reason = statusText ?? end.text
  return [status === 'failed' ? { type: 'error', errorText: reason } : { type: 'abort', reason }]
}

function endStatusOf(run: Run, { chat }: RunLog): EndStatus {
  const status = findMessage(chat, run.answerId)?.metadata?.status
  if (status === undefined || status === 'streaming') {
    throw new TypeError(`Run ${run.id} cannot be saved: its answer ${run.answerId} has not ended in the log.`)
  }
  return status
}
