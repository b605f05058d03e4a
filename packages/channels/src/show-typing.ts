import { askChannel } from './ask-channel.ts'
import type { Delivery } from './delivery.ts'
import { startTimer } from './start-timer.ts'
import { untilAborted } from './until-aborted.ts'

/** Platforms show it for five seconds or so. */
const intervalMs = 4_000

/** Shows that an answer is on its way until it has ended, where the channel can. */
export function showTyping(delivery: Delivery, ended: AbortSignal): void {
  const until = AbortSignal.any([delivery.signal, ended])
  // It ends by being called off, and how is nobody's concern.
  showUntil(delivery, until).catch(() => undefined)
}

async function showUntil(delivery: Delivery, until: AbortSignal): Promise<void> {
  const { channel, target, startTimer: start = startTimer } = delivery
  while (channel.typing !== undefined) {
    until.throwIfAborted()
    const { promise: passed, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, intervalMs)
    // It is a courtesy: when it fails, or takes for ever, nothing is lost.
    askChannel(async () => channel.typing?.(target, until)).catch(() => undefined)
    await untilAborted(passed, until).finally(stopTimer)
  }
}
