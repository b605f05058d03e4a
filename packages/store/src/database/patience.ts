import { AsyncLocalStorage } from 'node:async_hooks'
import { pause, untilAborted } from '@throughline/protocol/internal'

// Whoever works says how long the database may fail meanwhile: a run can wait, a person cannot, and a beat must not. What
// an agent or a tool reads is far away from the place that knows this. So it is not passed on: it belongs to the
// asynchronous context, as the frame of an agent does.

/** How long a piece of work waits for a database server that is away, or that refuses statements for a moment. */
export interface Patience {
  /** How long an operation is tried again after its first failure, in milliseconds. With 0 nothing is. */
  readonly maxWaitMs: number
  /** Ends the waiting. What fails afterwards fails at once. */
  readonly signal?: AbortSignal | undefined
  /** Also gives up what is under way. For work whose result is wanted in time, or not at all. */
  readonly deadline?: AbortSignal | undefined
}

/** What the operations of one piece of work share. */
interface Context {
  /** `undefined` when the work is over. What it has left behind does not wait. */
  patience: Patience | undefined
  /** The operation under way, when another one is a part of it: both have the same time together. */
  readonly operation?: Operation
}

interface Operation {
  /** By `performance.now()`. */
  failingSince: number | undefined
}

const contexts = new AsyncLocalStorage<Context>()

/** Does some work. All its operations on the store wait for the database, as the patience says, until the work is done. */
export async function withPatience<Result>(patience: Patience, work: () => Promise<Result>): Promise<Result> {
  const context: Context = { patience: patience.maxWaitMs === 0 ? undefined : patience }
  try {
    return await contexts.run(context, work)
  } finally {
    context.patience = undefined
  }
}

const firstDelayMs = 20
const maxDelayMs = 1_000

/**
 * Tries an operation again while it fails with an error that may pass, as long as the work that needs it has patience.
 * Throws the last error. `fallback` counts for work that has none.
 */
export async function waitOut<Result>(
  attempt: () => Promise<Result>,
  mayPass: (error: unknown) => boolean,
  fallback?: Patience,
): Promise<Result> {
  const { patience = fallback, operation = { failingSince: undefined } } = contexts.getStore() ?? {}
  if (patience === undefined) return attempt()
  return contexts.run({ patience, operation }, async () => {
    const { maxWaitMs, signal, deadline } = patience
    const isOver = () => signal?.aborted === true
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await attempt()
      } catch (error) {
        operation.failingSince ??= performance.now()
        const failedMs = performance.now() - operation.failingSince
        const isTooLate = failedMs + delayMs > maxWaitMs || deadline?.aborted === true
        if (isTooLate || isOver() || !mayPass(error)) throw error
        await pause(delayMs, signal)
        if (isOver()) throw error
      }
    }
  })
}

/** Does some work whose operations have the time of one operation together. */
export function asOneOperation<Result>(work: () => Promise<Result>): Promise<Result> {
  return waitOut(work, () => false)
}

/**
 * Waits for an operation that is under way, until the deadline of the work that needs it. Throws `late()` then. The
 * operation itself goes on, and what becomes of it is ignored.
 */
export async function inTime<Result>(operation: Promise<Result>, late: () => Error): Promise<Result> {
  const deadline = contexts.getStore()?.patience?.deadline
  if (deadline === undefined) return operation
  try {
    return await untilAborted(operation, deadline)
  } catch (error) {
    throw error === deadline.reason ? late() : error
  }
}
