import type { AgentEvent } from '@throughline/agents'
import { closeSteps, delegationResults, segment, segmentsOf } from '@throughline/agents/internal'
import { LogError, logName } from '@throughline/log'
import {
  type Chunk,
  type EndStatus,
  findMessage,
  type MessageId,
  type MessageRecord,
  type ModelUsage,
  messageOf,
  type Usage,
} from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import { hasAnswer, type Run, type RunEnd, type Store, type UsageShare } from '@throughline/store'
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
  const isSaved = await store.runs.end(run, {
    status,
    at,
    isInLog: hasAnswer(run),
    ...outcomeOf(run, runLog),
  })
  if (!isSaved) await assertNotOpen(store, run)
  runLog.release()
  return status
}

/** Throws when nobody has ended the run: a failover has lost the newest entries of its log. */
async function assertNotOpen({ runs }: Store, run: Run): Promise<void> {
  const left = await runs.get(run.ownerId, run.id)
  if (left?.status !== 'running' || left.attempt !== run.attempt) return
  throw new LogError('wrong-end', logName(run), `The log has lost the last entry of run ${run.id}.`)
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

/** How sub-agents end that do not go on. */
export interface SubAgentsEnding extends Omit<MessageEnding, 'usage'> {
  /** Whether the sub-agent that writes a message is one of them. */
  readonly isMeant: (record: MessageRecord) => boolean
}

/**
 * Ends in the log messages of sub-agents that are still being written. What a sub-agent has said so far goes to the
 * agent that asked it, if that one ends too. Returns the messages as they were.
 */
export async function endSubAgents(
  run: Run,
  runLog: RunLog,
  { isMeant, ...end }: SubAgentsEnding,
): Promise<readonly MessageRecord[]> {
  const open = openMessages(runLog).filter(record => record.id !== run.answerId && isMeant(record))
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

/**
 * Returns what each agent of a run has used of each model. The usage of an answer contains that of its sub-agents. Here it
 * is taken out again, so that the shares add up to the usage of the run.
 */
export function usageShares(
  messages: readonly Pick<MessageRecord, 'id' | 'metadata'>[],
): readonly UsageShare[] {
  const shares = new Map<string, UsageShare>()
  const below = Map.groupBy(messages, ({ metadata }) => metadata?.parent?.messageId)
  for (const { id, metadata } of messages) {
    const { agent, usage } = metadata ?? {}
    if (agent === undefined || usage === undefined) continue
    const own = modelsOf(usage)
    for (const { metadata: theirs } of below.get(id) ?? []) {
      for (const [model, used] of theirs?.usage === undefined ? [] : modelsOf(theirs.usage))
        own.set(model, without(own.get(model), used))
    }
    for (const [model, used] of own) add(shares, { agent: agent.name, model, ...used })
  }
  return [...shares.values()].filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
}

type Used = Pick<UsageShare, 'inputTokens' | 'outputTokens' | 'cost'>

/** Some agents report only the whole. It is counted for a model without a name. */
function modelsOf({ byModel, ...whole }: Usage): Map<string, Used> {
  const named = Object.entries(byModel ?? { '': whole })
  return new Map(named.map(([model, used]) => [model, usedOf(used)]))
}

function usedOf({ inputTokens, outputTokens, cost }: Pick<ModelUsage, keyof Used>): Used {
  return { inputTokens, outputTokens, cost: cost ?? undefined }
}

function without(all: Used | undefined, { inputTokens, outputTokens, cost }: Used): Used {
  return {
    inputTokens: Math.max(0, (all?.inputTokens ?? 0) - inputTokens),
    outputTokens: Math.max(0, (all?.outputTokens ?? 0) - outputTokens),
    // Rounding may leave a little less than nothing.
    cost: all?.cost === undefined || cost === undefined ? undefined : Math.max(0, all.cost - cost),
  }
}

/** Several messages of a run may be of the same agent. */
function add(shares: Map<string, UsageShare>, share: UsageShare): void {
  const key = JSON.stringify([share.agent, share.model])
  const known = shares.get(key)
  if (known === undefined) {
    shares.set(key, share)
    return
  }
  const isPriced = known.cost !== undefined && share.cost !== undefined
  shares.set(key, {
    ...share,
    inputTokens: known.inputTokens + share.inputTokens,
    outputTokens: known.outputTokens + share.outputTokens,
    cost: isPriced ? Number(known.cost) + Number(share.cost) : undefined,
  })
}
