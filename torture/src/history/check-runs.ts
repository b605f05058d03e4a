import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { Finding } from './history.ts'
import type { ReadHistory } from './read-history.ts'

/**
 * A5: what a sub-agent writes stands between its call and the result of the call. A6: every message of an agent has one
 * end, and the end of the answer is the last entry of its run. A7: a run that another one has followed writes nothing
 * more. D4: no run goes on.
 */
export function checkRuns({ entries, isRunning }: ReadHistory): readonly Finding[] {
  const running: readonly Finding[] = isRunning
    ? [{ kind: 'left-running', invariant: 'D4', detail: 'The server says that a run goes on.' }]
    : []
  const runs = Map.groupBy(entries, ({ runId }) => runId)
  return [...running, ...mixedRuns(entries), ...[...runs.values()].flatMap(checkRun)]
}

function mixedRuns(entries: readonly Entry[]): readonly Finding[] {
  const over = new Set<string>()
  return entries.flatMap(({ runId, seq }, index): readonly Finding[] => {
    const before = entries[index - 1]?.runId
    if (before === undefined || before === runId) return []
    over.add(before)
    if (!over.has(runId)) return []
    return [
      { kind: 'other', invariant: 'A7', detail: `Entry ${seq} is of ${runId}, after a later run has begun.` },
    ]
  })
}

function checkRun(entries: readonly Entry[]): readonly Finding[] {
  const starts = entries.filter(({ chunk }) => chunk.type === 'start')
  const [answer] = starts
  if (answer === undefined) return []
  return [
    ...starts.flatMap(start => checkEnd(entries, start)),
    ...starts.slice(1).flatMap(start => checkSubAgent(entries, start)),
    ...checkLast(entries, answer),
  ]
}

function checkEnd(entries: readonly Entry[], { messageId, runId }: Entry): readonly Finding[] {
  const own = entries.filter(entry => entry.messageId === messageId)
  const ends = own.filter(({ chunk }) => isEndChunk(chunk)).length
  if (ends === 1) return []
  const outline = own.map(({ seq, chunk }) => `${seq} ${chunk.type}`).slice(-8)
  const detail = `Message ${messageId} of ${runId} has ${ends} ends. Its last entries: ${outline.join(', ')}. The run ends with ${entries.at(-1)?.seq} ${entries.at(-1)?.chunk.type} of ${entries.at(-1)?.messageId}.`
  return [{ kind: ends === 0 ? 'left-running' : 'doubled', invariant: 'A6', detail }]
}

function checkLast(entries: readonly Entry[], answer: Entry): readonly Finding[] {
  const last = entries.at(-1)
  if (last === undefined || (last.messageId === answer.messageId && isEndChunk(last.chunk))) return []
  // A run without any end is reported already.
  if (!entries.some(({ messageId, chunk }) => messageId === answer.messageId && isEndChunk(chunk))) return []
  const detail = `Entry ${last.seq} (${last.chunk.type}) follows the end of ${answer.runId}.`
  return [{ kind: 'other', invariant: 'A6', detail }]
}

function checkSubAgent(entries: readonly Entry[], start: Entry): readonly Finding[] {
  const { chunk, messageId, seq } = start
  const parent = chunk.type === 'start' ? parentIn(chunk.messageMetadata) : undefined
  if (parent === undefined) return []
  const isOfCall = ({ chunk }: Entry) => 'toolCallId' in chunk && chunk.toolCallId === parent
  const call = entries.find(entry => entry.chunk.type === 'tool-input-available' && isOfCall(entry))
  const result = entries.find(entry => entry.chunk.type.startsWith('tool-output-') && isOfCall(entry))
  const last = entries.findLast(entry => entry.messageId === messageId)
  const isAfterCall = call !== undefined && call.seq < seq
  const isBeforeResult = result === undefined || last === undefined || last.seq < result.seq
  if (isAfterCall && isBeforeResult) return []
  const detail = `Message ${messageId} (${seq} to ${last?.seq}) is not between its call (${call?.seq}) and the result (${result?.seq}).`
  return [{ kind: 'other', invariant: 'A5', detail }]
}

function parentIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('parent' in metadata)) return undefined
  const { parent } = metadata
  if (typeof parent !== 'object' || parent === null || !('toolCallId' in parent)) return undefined
  return String(parent.toolCallId)
}
