/**
 * Returns the time in milliseconds since 1970, with fractions. All processes of a machine have the same clock, so a time
 * that one process says can be compared with one of another process.
 */
export function now(): number {
  return performance.timeOrigin + performance.now()
}

/** Resolves at a time, never earlier. Resolves at once when the time has passed. */
export async function until(time: number): Promise<void> {
  // A timer has whole milliseconds, and may fire a little too early.
  for (let left = time - now(); left > 0; left = time - now())
    await new Promise(resolve => setTimeout(resolve, Math.ceil(left)))
}
