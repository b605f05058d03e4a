// Test only.

/** Turns the event loop, without any timer, until the condition holds. */
export async function turnUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => void setImmediate(resolve))
}
