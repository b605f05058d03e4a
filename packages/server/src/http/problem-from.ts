import { FoldError, ProblemError } from '@throughline/protocol'
import { SqlError } from '@throughline/store'

/**
 * Returns what a client is told about an unexpected error. The words say what to do. The error itself is only in the
 * server's log, under the request id.
 */
export function problemFrom(error: unknown, requestId: string): ProblemError {
  const [status, code, detail] = kindOf(error)
  return new ProblemError(status, code, detail, { requestId })
}

function kindOf(error: unknown): readonly [number, string, string] {
  if (error instanceof FoldError) return damaged
  if (!(error instanceof SqlError)) {
    return [500, 'internal', 'The server failed to respond. Its log has more under this id.']
  }
  switch (error.code) {
    case 'damaged':
      return damaged
    case 'full':
      return [
        503,
        'store-full',
        'The disk of the server is full, so nothing was saved. Send it again later. The operator has to make room.',
      ]
    default:
      return [503, 'store-unavailable', 'The server cannot reach its data right now. Try again.']
  }
}

const damaged = [
  500,
  'data-damaged',
  'A part of this chat is damaged and cannot be read. Trying again does not help. The log of the server says under this id what is damaged.',
] as const
