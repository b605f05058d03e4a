import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AnswerPlan, deltaText } from '../answer-plan.ts'
import { now, until } from '../clock.ts'
import { gateTime } from './gate.ts'

/** How many deltas come in one turn of the event loop when all are due at once. */
const deltasPerTurn = 10

/**
 * Yields the deltas of a plan when they are due. The plan does not wait for the reader: a reader that comes back late
 * gets all deltas that are due meanwhile, one right after the other. `first` is the number of the first delta.
 */
export async function* dueDeltas(plan: AnswerPlan, first = 0): AsyncGenerator<string, void, undefined> {
  const { startMs, intervalMs, deltas, chars } = plan
  const startAt = startMs + (plan.from === 'gate' ? await gateTime() : 0)
  for (let number = first; number < deltas; number += 1) {
    const dueAt = startAt + number * intervalMs
    if (now() < dueAt) await until(dueAt)
    else if (intervalMs === 0 && number % deltasPerTurn === 0) await nextTurn()
    yield deltaText(number, chars)
  }
}
