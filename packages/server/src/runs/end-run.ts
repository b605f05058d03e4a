import { closeSteps, segment, segmentsOf } from '@throughline/agents/internal'
import { type EndStatus, findMessage, messageOf } from '@throughline/protocol'
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
  const open = keyedToArray(runLog.chat.messages).filter(record => record.metadata?.status === 'streaming')
  for (const record of open.toReversed()) {
    const { chunks } = segment(segmentsOf(record), { type: 'end', ...end })
    for (const chunk of [...closeSteps(record), ...chunks])
      await runLog.emit({ runId: run.id, messageId: record.id, chunk })
  }
  await runLog.flush()
}

function endStatusOf(run: Run, { chat }: RunLog): EndStatus {
  const status = findMessage(chat, run.answerId)?.metadata?.status
  if (status === undefined || status === 'streaming') {
    throw new TypeError(`Run ${run.id} cannot be saved: its answer ${run.answerId} has not ended in the log.`)
  }
  return status
}
