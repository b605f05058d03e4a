import { untilAborted } from '@throughline/protocol/internal'
import type { Delivery } from '../delivery.ts'
import { startTimer } from './start-timer.ts'

/** Platforms show the indicator for about five seconds. */
const intervalMs = 4_000

export interface TypingOptions {
  readonly ended: AbortSignal
  /** Whether the run waits for a person to decide something. */
  readonly isPaused: () => boolean
}

/** Shows the typing indicator until the answer has ended, if the channel has one. */
export function showTyping(delivery: Delivery, options: TypingOptions): void {
  // It ends with an abort, which is no failure.
  showUntilEnded(delivery, options).catch(() => undefined)
}

/** Shows the typing indicator once. */
export async function showTypingNow(delivery: Delivery, { ended, isPaused }: TypingOptions): Promise<void> {
  const { channel, target, signal } = delivery
  const until = AbortSignal.any([signal, ended])
  if (!isPaused()) await channel.typing?.(target, until)
}

async function showUntilEnded(delivery: Delivery, options: TypingOptions): Promise<void> {
  const { channel, signal, debug, startTimer: start = startTimer } = delivery
  const until = AbortSignal.any([signal, options.ended])
  while (channel.typing !== undefined) {
    until.throwIfAborted()
    const { promise: passed, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, intervalMs)
    // The indicator is not important. If it fails or never returns, nothing is lost.
    showTypingNow(delivery, options).catch(error => debug(`Typing was not shown: ${String(error)}`))
    await untilAborted(passed, until).finally(stopTimer)
  }
}
