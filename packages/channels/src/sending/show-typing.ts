import { untilAborted } from '@throughline/protocol/until-aborted'
import type { Delivery } from '../delivery.ts'
import { askChannel } from './ask-channel.ts'
import { startTimer } from './start-timer.ts'

/** Platforms show it for five seconds or so. */
const intervalMs = 4_000

export interface TypingOptions {
  readonly ended: AbortSignal
  /** Whether nothing goes on right now, because a person has to decide something. */
  readonly isPaused: () => boolean
}

/** Shows that an answer is on its way until it has ended, where the channel can. */
export function showTyping(delivery: Delivery, options: TypingOptions): void {
  // It ends by being called off, and how is nobody's concern.
  showUntilEnded(delivery, options).catch(() => undefined)
}

/** Shows it once, now. */
export async function showTypingNow(delivery: Delivery, { ended, isPaused }: TypingOptions): Promise<void> {
  const { channel, target, signal } = delivery
  const until = AbortSignal.any([signal, ended])
  if (!isPaused()) await askChannel(async () => channel.typing?.(target, until))
}

async function showUntilEnded(delivery: Delivery, options: TypingOptions): Promise<void> {
  const { channel, signal, debug, startTimer: start = startTimer } = delivery
  const until = AbortSignal.any([signal, options.ended])
  while (channel.typing !== undefined) {
    until.throwIfAborted()
    const { promise: passed, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, intervalMs)
    // It is a courtesy: when it fails, or takes for ever, nothing is lost.
    showTypingNow(delivery, options).catch(error => debug(`Typing was not shown: ${String(error)}`))
    await untilAborted(passed, until).finally(stopTimer)
  }
}
