import { ChannelError } from '../channel.ts'
import { type StartTimer, startTimer } from './start-timer.ts'
import { untilAborted } from './until-aborted.ts'

/** Sends or changes a message; the signal says not to wait any longer. Throws `ChannelError` when it was not taken. */
export type Attempt = (signal: AbortSignal) => Promise<unknown>

export interface TryOptions {
  readonly signal: AbortSignal
  readonly report: (error: unknown, what: string) => void
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined
  /** How long to try. */
  readonly giveUpMs?: number | undefined
  readonly startTimer?: StartTimer | undefined
  readonly now?: (() => number) | undefined
}

/**
 * Tries until the channel has taken something; false when it never will. Waits longer and longer, and as long as the
 * channel asks for. What is not the channel's doing is thrown: trying again would hide it.
 */
export async function tryUntilTaken(attempt: Attempt, what: string, options: TryOptions): Promise<boolean> {
  const { report, signal, giveUpMs = 3_600_000, now = Date.now } = options
  const begunAt = now()
  for (let delayMs = 1_000; ; delayMs = Math.min(delayMs * 2, 60_000)) {
    try {
      await tryOnce(attempt, options)
      return true
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ChannelError)) throw error
      const leftMs = begunAt + giveUpMs - now()
      if (error.code === 'refused' || leftMs <= 0) {
        report(error, `${what} was not taken by its channel and is given up`)
        return false
      }
      report(error, `${what} was not taken by its channel and is tried again`)
      await pause(Math.min(Math.max(delayMs, error.retryAfterMs ?? 0), leftMs), options)
    }
  }
}

/** One attempt, for as long as it may take. */
export async function tryOnce(attempt: Attempt, options: TryOptions): Promise<void> {
  const { signal, timeoutMs = 15_000, startTimer: start = startTimer } = options
  const late = new AbortController()
  const stopTimer = start(
    () => late.abort(new ChannelError('unavailable', `The channel did not answer within ${timeoutMs} ms.`)),
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
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopTimer = start(resolve, ms)
  await untilAborted(promise, signal).finally(stopTimer)
}
