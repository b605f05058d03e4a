import { FoldError, ProblemError } from '@throughline/protocol'
import { FileBytesError, SqlError } from '@throughline/store'
import { storeProblem } from '../../refusals/store-problem.ts'

/**
 * Returns what a client is told about an unexpected error. The words say what to do. The error itself is only in the
 * server's log, under the request id.
 */
export function problemFrom(error: unknown, requestId: string): ProblemError {
  const { status, code, message } = kindOf(error)
  return new ProblemError(status, code, message, { requestId })
}

function kindOf(error: unknown): ProblemError {
  if (error instanceof FoldError) return dataDamaged()
  if (error instanceof FileBytesError) return filesUnavailable()
  if (!(error instanceof SqlError)) {
    return new ProblemError(500, 'internal', 'The server failed to respond. Its log has more under this id.')
  }
  switch (error.code) {
    case 'damaged':
      return dataDamaged()
    case 'full':
    case 'unwritable':
    case 'unreachable':
      return storeProblem(error.code)
    case 'unconfirmed':
    case 'busy':
      return storeProblem('unreachable')
    default:
      return storeProblem('closed')
  }
}

function filesUnavailable(): ProblemError {
  return new ProblemError(
    503,
    'files-unavailable',
    'The server cannot reach the files of chats right now. Try again later. If it stays so, the operator finds the reason in the log.',
  )
}

function dataDamaged(): ProblemError {
  return new ProblemError(
    500,
    'data-damaged',
    'A part of this chat is damaged and cannot be read. Trying again does not help. The log of the server says under this id what is damaged.',
  )
}
