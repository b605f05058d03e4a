import { retry, untilAborted } from '@throughline/protocol/internal'
import { ChannelError } from '../channel.ts'
import { deadlineIn } from './deadline.ts'
import { type StartTimer, startTimer } from './start-timer.ts'

/** Sends or changes a message, until the signal aborts. Throws a `ChannelError` when the channel did not take it. */
export type Attempt = (signal: AbortSignal) => Promise<unknown>

export interface TryOptions {
  readonly signal: AbortSignal
  readonly report: (error: unknown, what: string) => void
  /** How long one attempt may take, in milliseconds: 15,000. */
  readonly timeoutMs?: number | undefined
  /** How long to try, in milliseconds: an hour. */
  readonly giveUpMs?: number | undefined
  readonly startTimer?: StartTimer | undefined
  readonly now?: (() => number) | undefined
}

/** The channel did not respond in time. */
export class SilentChannelError extends ChannelError {}

/**
 * Tries until the channel has taken something. Returns false when the channel refused it, or when it was tried for too
 * long. Waits longer after each failure, and at least as long as the channel asks for. Errors that do not come from the
 * channel are thrown: another attempt would only hide them.
 */
export async function tryUntilTaken(attempt: Attempt, what: string, options: TryOptions): Promise<boolean> {
  const { report, signal, giveUpMs = 3_600_000, now = Date.now } = options
  const begunAt = now()
  const isTaken = await retry(() => tryOnce(attempt, options).then(() => true), {
    firstMs: 1_000,
    maxMs: 60_000,
    onFailure(error, delayMs) {
      signal.throwIfAborted()
      if (!(error instanceof ChannelError)) throw error
      const leftMs = begunAt + giveUpMs - now()
      if (error.code === 'refused' || leftMs <= 0) {
        report(error, `${what} was not taken by its channel and is given up`)
        return undefined
      }
      report(error, `${what} was not taken by its channel and is tried again`)
      return Math.min(Math.max(delayMs, error.retryAfterMs ?? 0), leftMs)
    },
    pause: ms => pause(ms, options),
  })
  return isTaken === true
}

/** Makes one attempt. Throws a `SilentChannelError` when it takes longer than `timeoutMs`. */
export async function tryOnce(attempt: Attempt, options: TryOptions): Promise<void> {
  const { signal, timeoutMs = 15_000, startTimer: start = startTimer } = options
  const late = new AbortController()
  const stopTimer = start(
    () =>
      late.abort(
        new SilentChannelError('unavailable', `The channel did not respond within ${timeoutMs} ms.`),
      ),
    timeoutMs,
  )
  const either = AbortSignal.any([signal, late.signal])
  try {
    await untilAborted(attempt(either), either)
  } finally {
    stopTimer()
  }
}

async function pause(ms: number, { signal, startTimer: start = startTimer }: TryOptions): Promise<void> {
  const { passed, cancel } = deadlineIn(ms, start)
  await untilAborted(passed, signal).finally(cancel)
}
