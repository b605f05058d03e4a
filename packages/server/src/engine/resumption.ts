import { type CutMessage, type EarlierWork, type RunCounts, stepsIn } from '@throughline/agents/internal'
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

/** What the process that died has done of a run, as far as it counts for the one that goes on. */
export interface Resumption {
  /** The answer. */
  readonly cut: CutMessage
  readonly earlier: EarlierWork
  readonly counts: RunCounts
  readonly usage: Usage | undefined
  /** How long the run has worked, in milliseconds. */
  readonly workedMs: number
}

/** Returns what the agents of a run have used together, as its log shows it. */
export function countsIn({ chat }: RunLog): RunCounts {
  const records = keyedToArray(chat.messages).filter(({ role }) => role === 'assistant')
  return { ...countsOf(records), subAgents: records.filter(({ metadata }) => metadata?.parent).length }
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
