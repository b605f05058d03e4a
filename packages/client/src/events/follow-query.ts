import { type BackoffOptions, backoffMs, pause } from '../http/backoff.ts'
import { asChatError, ChatError } from '../http/chat-error.ts'
import { isCut } from '../http/is-cut.ts'
import { callBack } from '../page/call-back.ts'
import { type ConnectionOptions, connectQuery, type Question } from './query-connection.ts'
import { isEnd, type ReadEvent } from './query-reader.ts'

/** What following a query needs. */
export interface FollowQueryOptions extends ConnectionOptions {
  /** How often to reconnect in a row without anything new. Default: 6. */
  readonly maxRetries?: number | undefined
  /** How long to wait before each retry. */
  readonly backoff?: BackoffOptions | undefined
  /** Called once with the id of the session, when the server has sent it. */
  readonly onSession?: ((sessionId: string) => void) | undefined
}

/**
 * Yields each event of an answer once and in order, over as many connections as it takes.
 *
 * When a connection breaks, opens another one and asks for the same answer by its ids. The server then sends the answer
 * from its start, with the same events in the same order. So the events that were seen before are counted and skipped.
 *
 * Gives up when `maxRetries` connections in a row bring nothing new. Gives up at once when the server refuses, or when
 * it cannot repeat an answer. Then throws a `ChatError`. Throws the signal's reason when it aborts.
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
      let count = 0
      for await (const received of connectQuery(question, options)) {
        signal.throwIfAborted()
        if (received.type === 'done') return
        if (received.type === 'head') {
          const { session_id = question.session_id, answer_id } = received
          if (!hasBegun && received.session_id) callBack(onSession, session_id)
          question = { ...question, session_id, answer_id }
          hasBegun = true
        } else if (++count > seen) {
          seen = count
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
        // The answer is complete. Only the `usage` event is missing.
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
