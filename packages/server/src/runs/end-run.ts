import type { AgentEvent } from '@throughline/agents'
import { closeSteps, delegationResults, segment, segmentsOf } from '@throughline/agents/internal'
import {
  type Chunk,
  type EndStatus,
  findMessage,
  type MessageId,
  type MessageRecord,
  messageOf,
  type Usage,
} from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import { hasAnswer, type Run, type RunEnd, type Store } from '@throughline/store'
import type { RunLog } from './run-log.ts'
import { usageShares } from './usage-shares.ts'

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
  await store.runs.end(run, { status, at, ...outcomeOf(run, runLog) })
  runLog.release()
  return status
}

/** Returns what is saved of a run's log when the run ends: its messages, its last entry, and what it has used. */
export function outcomeOf(run: Run, { chat }: RunLog): Pick<RunEnd, 'seq' | 'messages' | 'usage'> {
  const records = keyedToArray(chat.messages)
  const messages = records.map(record => ({
    message: messageOf(record),
    runId: run.id,
    seq: record.firstSeq,
  }))
  return { seq: chat.seq, messages, usage: usageShares(records) }
}

/** How a message ends that nobody writes any more. */
export interface MessageEnding {
  readonly status: EndStatus
  /** What people read about the end. */
  readonly text: string
  /** What the run has used. Only its answer tells it. */
  readonly usage?: Usage | undefined
}

/**
 * Ends in the log every message that is still being written: the messages of sub-agents before the answer of their
 * master.
 */
export async function endAnswer(run: Run, runLog: RunLog, ending: MessageEnding): Promise<void> {
  const { usage, ...end } = ending
  for (const record of openMessages(runLog)) {
    const { id } = record
    await emitAll(runLog, { run, id, chunks: endChunks(record, id === run.answerId ? ending : end) })
  }
  await runLog.flush()
}

/**
 * Ends in the log the messages of sub-agents that are still being written. What a sub-agent has said so far goes to the
 * agent that asked it, if that is a sub-agent too. Returns the messages as they were.
 */
export async function endSubAgents(
  run: Run,
  runLog: RunLog,
  end: MessageEnding,
): Promise<readonly MessageRecord[]> {
  const open = openMessages(runLog).filter(({ id }) => id !== run.answerId)
  for (const record of open) {
    const { id } = record
    const told = delegationResults(record, keyedToArray(runLog.chat.messages))
    await emitAll(runLog, { run, id, chunks: chunksOf(record, told) })
    await runLog.flush()
    await emitAll(runLog, { run, id, chunks: endChunks(findMessage(runLog.chat, id) ?? record, end) })
    await runLog.flush()
  }
  return open
}

/** Returns the messages that are still being written, those of the deepest sub-agents first. */
function openMessages({ chat, ended }: RunLog): readonly MessageRecord[] {
  return keyedToArray(chat.messages)
    .filter(({ id, metadata }) => metadata?.status && !ended.has(id))
    .toReversed()
}

interface MessageChunks {
  readonly run: Run
  readonly id: MessageId
  readonly chunks: readonly Chunk[]
}

async function emitAll(runLog: RunLog, { run, id, chunks }: MessageChunks): Promise<void> {
  for (const chunk of chunks) await runLog.emit({ runId: run.id, messageId: id, chunk })
}

/** Returns the chunks of events that are added to a message. */
function chunksOf(record: MessageRecord, events: readonly AgentEvent[]): readonly Chunk[] {
  let segments = segmentsOf(record)
  return events.flatMap(event => {
    const segmented = segment(segments, event)
    segments = segmented.segments
    return segmented.chunks
  })
}

function endChunks(record: MessageRecord, end: MessageEnding): readonly Chunk[] {
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
