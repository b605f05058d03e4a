import { type Chunk, isToolPart, type MessageRecord } from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import { z } from 'zod'

/** Gives the progress entries of a message their times and numbers. */
export interface StepClock {
  now(): Date
  /** Returns the number of the next step in the run, from 1. */
  nextStep(): number
}

/** A `data-step` part: the progress of one tool call. A newer one replaces an older one. */
export const stepDataSchema = z.object({
  title: z.string(),
  number: z.number(),
  toolCallId: z.string(),
  status: z.enum(['running', 'completed', 'error']),
  startedAt: z.string(),
  durationMs: z.number().optional(),
})
/** The progress of one tool call: the data of a `data-step` chunk. */
export type StepData = Readonly<z.infer<typeof stepDataSchema>>

/** Adds progress entries (`data-step`) to the chunks of a message. */
export interface Steps {
  /** Returns the chunks, with a `data-step` chunk after each one that begins or ends a step. */
  around(chunks: readonly Chunk[]): readonly Chunk[]
}

/**
 * Follows the chunks of a message and adds the progress of its tool calls. `running` are the steps that the message has
 * already, when a run goes on after a crash.
 */
export function createSteps(clock: StepClock, running: readonly StepData[] = []): Steps {
  const open = new Map(running.map(step => [step.toolCallId, step]))
  const titles = new Map<string, string>()

  function begin(toolCallId: string, title: string): Chunk {
    const step: StepData = {
      title,
      number: clock.nextStep(),
      toolCallId,
      status: 'running',
      startedAt: clock.now().toISOString(),
    }
    open.set(toolCallId, step)
    return stepChunk(step)
  }

  function end(toolCallId: string, status: 'completed' | 'error'): readonly Chunk[] {
    const step = open.get(toolCallId)
    if (step === undefined) return []
    open.delete(toolCallId)
    return [stepChunk({ ...step, status, durationMs: clock.now().getTime() - Date.parse(step.startedAt) })]
  }

  function after(chunk: Chunk): readonly Chunk[] {
    switch (chunk.type) {
      case 'tool-input-start':
        titles.set(chunk.toolCallId, chunk.title ?? chunk.toolName)
        return []
      case 'tool-input-available':
        return [begin(chunk.toolCallId, chunk.title ?? titles.get(chunk.toolCallId) ?? chunk.toolName)]
      case 'tool-output-available':
        return chunk.preliminary === true ? [] : end(chunk.toolCallId, 'completed')
      case 'tool-output-error':
      case 'tool-output-denied':
        return end(chunk.toolCallId, 'error')
      default:
        return []
    }
  }

  return {
    around: chunks =>
      chunks.some(({ type }) => type.startsWith('tool-'))
        ? chunks.flatMap(chunk => [chunk, ...after(chunk)])
        : chunks,
  }
}

/**
 * Returns chunks that end steps which a message from the log shows as running; all of them by default. Their duration is not
 * known.
 */
export function closeSteps(record: MessageRecord, isMeant = (_: StepData) => true): readonly Chunk[] {
  const succeeded = new Set(
    keyedToArray(record.parts).flatMap(({ part }) =>
      isToolPart(part) && part.state === 'output-available' && part.preliminary !== true
        ? [part.toolCallId]
        : [],
    ),
  )
  return runningSteps(record)
    .filter(isMeant)
    .map(step => stepChunk({ ...step, status: succeeded.has(step.toolCallId) ? 'completed' : 'error' }))
}

/** Returns the steps that a message from the log shows as running. */
export function runningSteps(record: MessageRecord): readonly StepData[] {
  return stepsIn(record).filter(({ status }) => status === 'running')
}

/** Returns all steps that a message from the log shows. */
export function stepsIn({ parts }: MessageRecord): readonly StepData[] {
  return keyedToArray(parts).flatMap(({ part }) => {
    if (part.type !== 'data-step' || !('data' in part)) return []
    return stepDataSchema.safeParse(part.data).data ?? []
  })
}

function stepChunk(step: StepData): Chunk {
  return { type: 'data-step', id: `step-${step.toolCallId}`, data: step }
}
