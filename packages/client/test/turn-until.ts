import { realTime, waitLimitMs } from '@throughline/testing/waits/wait-limit'

// Test only.

/** Turns the event loop, without any timer, until the condition holds. */
export async function turnUntil(condition: () => boolean): Promise<void> {
  const endsAt = realTime.now() + waitLimitMs()
  while (!condition()) {
    if (realTime.now() > endsAt) throw new Error(`Waited ${waitLimitMs()} ms until ${condition}.`)
    await new Promise(resolve => void setImmediate(resolve))
  }
}
