import { z } from 'zod'
import type { Call } from '../conversations/transcript.ts'
import { outputFrom } from '../seen.ts'

/** What says why a call has no result, where results have no field for it. */
const failureSchema = z.strictObject({ error: z.string() })

/** What a result says: an output, or why there is none. */
export function callResult(result: unknown): Pick<Call, 'state' | 'output'> {
  const output = typeof result === 'string' ? outputFrom(result) : result
  const failure = failureSchema.safeParse(output).data?.error
  return failure === undefined ? { state: 'done', output } : { state: 'failed', output: failure }
}
