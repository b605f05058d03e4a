import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { callBack } from './call-back.ts'
import { asChatError, ChatError } from './chat-error.ts'
import { isCut } from './is-cut.ts'
import { type ConnectionOptions, connectQuery, type Question } from './query-connection.ts'
import { isEnd, type ReadEvent } from './query-reader.ts'

export interface FollowQueryOptions extends ConnectionOptions {
  readonly maxRetries?: number | undefined
  readonly backoff?: BackoffOptions | undefined
  readonly onSession?: ((sessionId: string) => void) | undefined
}

/**
 * Yields each event of an answer once and in order, over as many connections as it takes.
 *
 * A connection that was cut is replaced by another one, which asks for the same answer by its ids. The server sends an
 * answer from its start, and the same events each time. So events that were seen are skipped by their number.
 *
 * Gives up when `maxRetries` connections in a row bring nothing new, and at once when the server refuses or cannot
 * repeat an answer.
 */
export async function* followQuery(
  first: Question,
  options: FollowQueryOptions,
): AsyncGenerator<ReadEvent, void, undefined> {
  const { signal, onSession, maxRetries = 6 } = options
  let question = first
  let hasBegun = false
  let hasEnd = false
  let seen = 0
  for (let retries = 0; ; retries += 1) {
    try {
      let place = 0
      for await (const received of connectQuery(question, options)) {
        signal.throwIfAborted()
        if (received.type === 'done') return
        if (received.type === 'head') {
          const { session_id = question.session_id, answer_id } = received
          if (!hasBegun && received.session_id) callBack(onSession, session_id)
          question = { ...question, session_id, answer_id }
          hasBegun = true
        } else if (++place > seen) {
          seen = place
          retries = 0
          hasEnd ||= isEnd(received.parsed)
          yield received
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      const failure = asChatError(error)
      const canResume = !hasBegun || question.answer_id !== undefined
      if (!canResume || !isCut(failure) || retries >= maxRetries) {
        // The answer is whole: only what it used is missing.
        if (hasEnd) return
        throw hasBegun ? brokenOff(failure) : failure
      }
    }
    await pause(backoffMs(retries, options.backoff), signal)
    signal.throwIfAborted()
  }
}

function brokenOff({ message, status }: ChatError): ChatError {
  return new ChatError(
    'broken-stream',
    `The answer broke off before its end and could not be got back. ${message} Ask again.`,
    status,
  )
}
