import type { Delivery } from './delivery.ts'
import { startTimer } from './start-timer.ts'

/** Platforms show it for five seconds or so. */
const intervalMs = 4_000

/** Shows that an answer is on its way until it has ended, where the channel can. */
export function showTyping(delivery: Delivery, ended: AbortSignal): void {
  const { channel, target, signal, startTimer: start = startTimer } = delivery
  if (channel.typing === undefined) return
  const until = AbortSignal.any([signal, ended])
  const show = () => {
    if (until.aborted) return
    // It is a courtesy: when it fails, nothing is lost.
    channel.typing?.(target, until).catch(() => undefined)
    until.addEventListener('abort', start(show, intervalMs), { once: true })
  }
  show()
}
