import { stepDataSchema } from '@throughline/agents/message/steps'
import type { Entry } from '@throughline/protocol/entry'
import type { QueryEvent } from '@throughline/protocol/query-event'

/** When the steps that go on began, by their numbers: the log's clock, in milliseconds. */
export type QuerySteps = ReadonlyMap<number, number>

interface ProjectedSteps {
  readonly steps: QuerySteps
  readonly events: readonly QueryEvent[]
}

/** Tells where a step begins and where it ends. `answerId`: the answer of the run that the step belongs to. */
export function projectStep(steps: QuerySteps, { chunk, at }: Entry, answerId: string): ProjectedSteps {
  const data = chunk.type === 'data-step' && 'data' in chunk ? chunk.data : undefined
  const parsed = stepDataSchema.safeParse(data)
  if (!parsed.success) return { steps, events: [] }
  const { title, number, status, durationMs } = parsed.data
  // A number is given once in a run, whichever of its agents takes the step. An answer's id is given once in a session.
  const step_id = `${answerId}_step_${number}`
  const timestamp = new Date(at).toISOString()
  const changed = new Map(steps)
  if (status === 'running') {
    return {
      steps: changed.set(number, at),
      events: [{ type: 'step_start', step_id, title, step_number: number, timestamp }],
    }
  }
  changed.delete(number)
  // After a crash nobody knows how long it took, except that it was noticed by now.
  const duration_ms = Math.max(0, durationMs ?? at - (steps.get(number) ?? at))
  return { steps: changed, events: [{ type: 'step_complete', step_id, status, duration_ms, timestamp }] }
}
