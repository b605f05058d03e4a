import { type CutMessage, closeCutMessage, type EarlierWork, openCalls } from '@throughline/agents/internal'
import {
  continuedChunk,
  findMessage,
  isToolPart,
  isWaitingToGoOn,
  type MessageId,
  type MessageRecord,
} from '@throughline/protocol'
import { keyedToArray, serverSentence } from '@throughline/protocol/internal'
import type { Run, Store } from '@throughline/store'
import { endSubAgents } from '../engine/end-run.ts'
import type { RunLog } from '../engine/run-log.ts'
import type { RunTrace } from './run-trace.ts'

/** What taking up the work of a process that died needs. */
export interface EarlierOptions {
  readonly store: Pick<Store, 'approvals'>
  readonly run: Run
  readonly runLog: RunLog
  /** What the log said when the run was taken over. */
  readonly trace: RunTrace
  /** When the run goes on, in ISO format. */
  readonly at: string
  /** It does not go on yet: see `ContinuedData`. */
  readonly isWaiting: boolean
}

/** Returns what the process that died has left of a run, for the agents that go on. */
export function earlierWork(options: EarlierOptions): EarlierWork {
  const { runLog } = options
  const recordOf = (id: MessageId): MessageRecord => {
    const record = findMessage(runLog.chat, id)
    if (record === undefined) throw new TypeError(`Message ${id} is not in the log of its run.`)
    return record
  }
  return {
    askedBy: (caller, toolCallId) => askedBy(runLog, { caller, toolCallId }),
    hasEnded: id => runLog.ended.has(id),
    async goOn(id) {
      await closeCut(options, recordOf(id))
      return cutMessage(options, recordOf(id))
    },
    async interrupt(id, text) {
      await interrupt(options, text, record => lineOf(runLog, record).some(each => each.id === id))
      return recordOf(id)
    },
    async messageNow(id) {
      await runLog.flush()
      return recordOf(id)
    },
  }
}

/** Ends the messages of sub-agents that cannot go on, whoever their agents are: their callers do not wait for them. */
export async function endLostSubAgents(options: EarlierOptions): Promise<void> {
  const { run, runLog } = options
  const isAwaited = ({ metadata }: MessageRecord) => {
    const { parent } = metadata ?? {}
    const caller = parent && findMessage(runLog.chat, parent.messageId)
    return caller && openCalls(caller).some(({ toolCallId }) => toolCallId === parent.toolCallId)
  }
  // A status is written right before the end that belongs to it. The process may have died in between.
  const isEnding = ({ metadata }: MessageRecord) => metadata?.status !== 'streaming'
  await interrupt(options, serverSentence('restarted'), record => {
    const line = lineOf(runLog, record)
    return isEnding(record) || line.at(-1)?.id !== run.answerId || !line.slice(0, -1).every(isAwaited)
  })
}

/** Closes in the log what was being written in a message, and shows people that it goes on. */
async function closeCut(options: EarlierOptions, record: MessageRecord): Promise<void> {
  const { run, runLog, trace, at, isWaiting } = options
  const { id } = record
  const isStepCut = trace.of(id).isInStep
  const data = { attempt: run.attempt ?? 1, at, isStepCut, ...(isWaiting ? { isWaiting } : {}) }
  const chunk = continuedChunk(data, id === run.answerId ? undefined : id)
  // An answer that has waited goes on where it shows that it waits.
  const shown = keyedToArray(record.parts).flatMap(({ part }) => (isWaitingToGoOn(part) ? [part.id] : []))
  const mark = { ...chunk, id: shown.at(-1) ?? `${chunk.id}` }
  for (const chunk of [...closeCutMessage(record), mark])
    await runLog.emit({ runId: run.id, messageId: id, chunk })
  await runLog.flush()
}

function cutMessage({ runLog, trace }: EarlierOptions, record: MessageRecord): CutMessage {
  const { isInStep, isComplete, beganMs } = trace.of(record.id)
  const below = keyedToArray(runLog.chat.messages).filter(each =>
    lineOf(runLog, each).some(({ id }) => id === record.id),
  )
  return {
    record,
    isInStep,
    isComplete,
    subAgentCount: below.filter(({ metadata }) => metadata?.parent?.messageId === record.id).length,
    workedMs: trace.workedMs - beganMs,
    usage: below.flatMap(({ id }) => trace.of(id).usage),
  }
}

async function interrupt(
  { store, run, runLog, at }: EarlierOptions,
  text: string,
  isMeant: (record: MessageRecord) => boolean,
): Promise<void> {
  const ended = await endSubAgents(run, runLog, { status: 'interrupted', text, isMeant })
  // Nobody waits for the approvals of these sub-agents any more.
  for (const id of ended.flatMap(askedIn))
    await store.approvals.settle(run.ownerId, id, { status: 'void', at })
}

function askedBy(
  { chat }: RunLog,
  { caller, toolCallId }: { readonly caller: MessageId; readonly toolCallId: string },
): MessageRecord | undefined {
  return keyedToArray(chat.messages).find(({ metadata }) => {
    const { parent } = metadata ?? {}
    return parent?.messageId === caller && parent.toolCallId === toolCallId
  })
}

/** Returns a message, the message of its caller, and so on, up to the answer. */
function lineOf({ chat }: RunLog, record: MessageRecord): readonly MessageRecord[] {
  const line: MessageRecord[] = []
  let next: MessageRecord | undefined = record
  while (next !== undefined && !line.includes(next)) {
    line.push(next)
    const { parent }: NonNullable<MessageRecord['metadata']> = next.metadata ?? {}
    next = parent && keyedToArray(chat.messages).find(({ id }) => id === parent.messageId)
  }
  return line
}

/** Returns the ids of the approvals that calls of a message wait for. */
function askedIn({ parts }: MessageRecord): readonly string[] {
  return keyedToArray(parts).flatMap(({ part }) =>
    isToolPart(part) && part.state === 'approval-requested' && part.approval !== undefined
      ? [part.approval.id]
      : [],
  )
}
