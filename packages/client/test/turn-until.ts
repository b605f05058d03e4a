// Test only.

/** Lets everything happen that needs no timer, until the condition holds. */
export async function turnUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => void setImmediate(resolve))
}
