import { stepDataSchema } from '@throughline/agents/internal'
import type { Entry, QueryEvent } from '@throughline/protocol'
import type { Projection } from '../projection.ts'

/** Tells where steps begin and where they end. */
export class QuerySteps implements Projection<QueryEvent> {
  readonly #answerId: string
  /** When the open steps began, by their numbers: the log's clock, in milliseconds. */
  readonly #startedAt = new Map<number, number>()

  constructor(answerId: string) {
    this.#answerId = answerId
  }

  write({ chunk, at }: Entry): readonly QueryEvent[] {
    const data = chunk.type === 'data-step' && 'data' in chunk ? chunk.data : undefined
    const parsed = stepDataSchema.safeParse(data)
    if (!parsed.success) return []
    const { title, number, status, durationMs } = parsed.data
    // Step numbers are unique in a run, and ids of answers are unique in a session.
    const step_id = `${this.#answerId}_step_${number}`
    const timestamp = new Date(at).toISOString()
    if (status === 'running') {
      this.#startedAt.set(number, at)
      return [{ type: 'step_start', step_id, title, step_number: number, timestamp }]
    }
    // A step that a crash cut off has no duration. It took at most until now.
    const duration_ms = Math.max(0, durationMs ?? at - (this.#startedAt.get(number) ?? at))
    this.#startedAt.delete(number)
    return [{ type: 'step_complete', step_id, status, duration_ms, timestamp }]
  }
}
