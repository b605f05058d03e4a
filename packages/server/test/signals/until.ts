import { vi } from 'vitest'

/** Waits until something is true. Long enough for a poll on a slow machine. */
export async function until(isTrue: () => unknown): Promise<void> {
  await vi.waitUntil(isTrue, { timeout: 100_000, interval: 20 })
}
