import { type RunCounts, stepsIn } from '@throughline/agents/internal'
import {
  isToolPart,
  type MessageRecord,
  type Part,
  toolInput,
  truncatedIn,
  type Usage,
} from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import type { RunLog } from './run-log.ts'
import type { RunTrace } from './run-trace.ts'

/** What the process that died has done of a run, as far as it counts for the one that goes on. */
export interface Resumption {
  /** The answer as the log has it. Nothing in it is being written. Calls may have no result. */
  readonly answer: MessageRecord
  readonly counts: RunCounts
  /** How many sub-agents the master has asked. */
  readonly subAgentCount: number
  readonly usage: Usage | undefined
  /** How long the run has worked, in milliseconds. */
  readonly workedMs: number
  /** Whether a step of the answer has not ended. */
  readonly isInStep: boolean
  /** Whether only the end of the answer is missing. */
  readonly isComplete: boolean
}

/** Returns what counts of a run that was taken over. */
export function resumptionOf(
  answer: MessageRecord,
  { chat }: RunLog,
  {
    usage,
    workedMs,
    isInStep,
    isComplete,
  }: Pick<Resumption, 'usage'> & Pick<RunTrace, 'workedMs' | 'isInStep' | 'isComplete'>,
): Resumption {
  const records = keyedToArray(chat.messages).filter(({ role }) => role === 'assistant')
  const parents = records.flatMap(({ metadata }) => metadata?.parent ?? [])
  return {
    answer,
    counts: { ...countsOf(records), subAgents: parents.length },
    subAgentCount: parents.filter(({ messageId }) => messageId === answer.id).length,
    usage,
    workedMs,
    isInStep,
    isComplete,
  }
}

function countsOf(records: readonly MessageRecord[]): Omit<RunCounts, 'subAgents'> {
  const parts = records.flatMap(({ parts }) => keyedToArray(parts).map(({ part }) => part))
  return {
    steps: Math.max(0, ...records.flatMap(stepsIn).map(({ number }) => number)),
    outputBytes: sumOf(parts.map(outputBytes)),
    toolOutputBytes: sumOf(parts.map(part => (isToolPart(part) ? jsonBytes(part.output) : 0))),
  }
}

/** Returns how much of a part counts for `maxOutputBytes`: text, reasoning, and the inputs of tools. */
function outputBytes(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text)
  return isToolPart(part) ? jsonBytes(toolInput(part)) : 0
}

function jsonBytes(value: unknown): number {
  return truncatedIn(value)?.bytes ?? Buffer.byteLength(JSON.stringify(value) ?? '')
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
