import { ProblemError } from '@throughline/protocol'
import type { HttpContext } from '../context.ts'
import { parameter, type StreamForm } from '../wire-form.ts'

/**
 * Reads `?startIndex=`, with which `WorkflowChatTransport` of the AI SDK comes back: how many chunks of the stream it has.
 * A negative number counts from the end of what there is now. Returns `undefined` when it is missing. Throws a problem for
 * anything but a whole number, and for the data stream, which has no chunks.
 */
export function startIndexFrom(context: HttpContext, { form }: StreamForm): number | undefined {
  const given = parameter(context, 'startIndex')
  if (given === undefined) return undefined
  const index = Number(given)
  if (!/^-?\d+$/.test(given) || !Number.isSafeInteger(index)) {
    throw new ProblemError(
      400,
      'invalid-start-index',
      `"startIndex=${given.slice(0, 100)}" is not a whole number. Send how many chunks of the stream you have, or a negative number to begin so many chunks before its end.`,
    )
  }
  if (form !== 'data-stream') return index
  throw new ProblemError(
    400,
    'unsupported-position',
    'A data stream can be read from its beginning only. Leave "startIndex" out.',
  )
}
