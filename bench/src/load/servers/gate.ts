const opened = Promise.withResolvers<number>()

/** Opens the gate of this process. All answers that wait at the gate count their times from `startAt`. */
export async function openGate(startAt: unknown): Promise<void> {
  opened.resolve(Number(startAt))
}

/**
 * Resolves with the time from which answers count. All runs are started first, and wait here. So the measurement begins
 * when the work of starting them is over.
 */
export function gateTime(): Promise<number> {
  return opened.promise
}
