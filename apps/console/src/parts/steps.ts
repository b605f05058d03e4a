import { isRecord, type Message, type OutputRequest, outputRequestIn } from '@throughline/protocol'

/** The progress of a tool call, from a `data-step` part. */
export interface Step {
  readonly number: number
  readonly toolCallId: string
  readonly status: 'running' | 'completed' | 'error'
  readonly durationMs?: number
  /** Whose output the call waits for, until it has one. */
  readonly request?: OutputRequest
}

/** Returns the progress of each tool call of a message, by the call's id. */
export function stepsOf({ parts }: Message): ReadonlyMap<string, Step> {
  const requests = parts.flatMap(part => outputRequestIn(part) ?? [])
  return new Map(
    stepsIn(parts).map(step => {
      const request = requests.findLast(({ toolCallId }) => toolCallId === step.toolCallId)
      return [step.toolCallId, request === undefined ? step : { ...step, request }]
    }),
  )
}

/** How many steps have begun, and how many of them have ended. */
export interface StepProgress {
  readonly started: number
  readonly completed: number
}

/** Returns the progress of messages together. A step that failed has ended, too. */
export function progressOf(messages: readonly Message[]): StepProgress {
  const steps = messages.flatMap(({ parts }) => stepsIn(parts))
  return { started: steps.length, completed: steps.filter(({ status }) => status !== 'running').length }
}

function stepsIn(parts: Message['parts']): readonly Step[] {
  return parts.flatMap(part =>
    'data' in part && part.type === 'data-step' && isStep(part.data) ? [part.data] : [],
  )
}

function isStep(value: unknown): value is Step {
  return isRecord(value) && typeof value['number'] === 'number' && typeof value['toolCallId'] === 'string'
}
