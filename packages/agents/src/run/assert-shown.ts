import { truncatedIn } from '@throughline/protocol'
import { cutValue } from '../values/cut-value.ts'

/**
 * Throws when the input of a call is so large that it is cut in the log. A person who approves a call, or looks at it
 * later, must see the whole input.
 */
export function assertShown(input: unknown, maxBytes: number): void {
  const size = truncatedIn(cutValue(input, { limit: 'maxToolOutputBytes', maxBytes }).value)?.bytes ?? 0
  if (size <= maxBytes) return
  throw new Error(`The input has ${size} bytes, and ${maxBytes} are allowed. Send less at once.`)
}
