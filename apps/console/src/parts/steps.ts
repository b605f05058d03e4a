import { isRecord, type Message } from '@throughline/protocol'

/** The progress of a tool call, from a `data-step` part. */
export interface Step {
  readonly number: number
  readonly toolCallId: string
  readonly status: 'running' | 'completed' | 'error'
  readonly durationMs?: number
}

/** Returns the progress of each tool call of a message, by the call's id. */
export function stepsOf({ parts }: Message): ReadonlyMap<string, Step> {
  const steps = parts.flatMap(part =>
    'data' in part && part.type === 'data-step' && isStep(part.data) ? [part.data] : [],
  )
  return new Map(steps.map(step => [step.toolCallId, step]))
}

function isStep(value: unknown): value is Step {
  return isRecord(value) && typeof value['number'] === 'number' && typeof value['toolCallId'] === 'string'
}
