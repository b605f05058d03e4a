import { hasAnswer, type Run } from '@throughline/store'

/**
 * Returns whether a run that has the chat will end in a moment, and waits for a short time if so. Runs without an answer
 * do. They may be missing among the active runs, because they have just begun or are just ending.
 */
export async function isOverSoon(run: Run): Promise<boolean> {
  if (hasAnswer(run)) return false
  await new Promise(resolve => setTimeout(resolve, 5))
  return true
}
