import { type OnBusy, type QueryEvent, randomHex } from '@throughline/protocol'
import { pause } from '@throughline/protocol/internal'
import { type BackoffOptions, backoffMs } from '../http/backoff.ts'
import { asChatError, ChatError, isCut } from '../http/chat-error.ts'
import { callBack } from '../page/callbacks.ts'
import {
  type ConnectionOptions,
  connectQuery,
  isEnd,
  type QueryBody,
  type ReadEvent,
} from './query-connection.ts'
import type { QueryMeter } from './query-meter.ts'

/** One question. */
interface Query {
  /** What the person says. */
  readonly message: string
  /** The session that the query belongs to. Without one, a new session is created. */
  readonly sessionId?: string | null | undefined
}

/** The options of a query. All of them may be left out. */
export interface QueryStreamOptions extends Omit<FollowQueryOptions, 'signal'> {
  /** Stops listening. The agent goes on. */
  readonly signal?: AbortSignal | undefined
  /**
   * `delta`: text comes in pieces, as the model writes it. `step`: text comes part by part, each when it is complete.
   * Default: `delta`.
   */
  readonly level?: 'delta' | 'step' | undefined
  /** The name of the agent that is to answer. Default: the server's first agent. */
  readonly agent?: string | undefined
  /** The workspace that the person works in: agents that people define can belong to one. Default: none. */
  readonly workspaceId?: string | undefined
  /** The page of your application that the person is on: agents that people define can belong to pages. Default: none. */
  readonly pageId?: string | undefined
  /**
   * What to do while the session's last answer is still being written. `reject`: this query is refused. `queue`: it
   * waits for the end. `interrupt`: the other answer is stopped. Default: the other answer is stopped as soon as nobody
   * watches it.
   */
  readonly onBusy?: OnBusy | undefined
  /** The id of the message. Default: a new one. A query with the same session and the same id gets the same answer. */
  readonly messageId?: string | undefined
  /** How long the server may be silent before the connection counts as lost, in milliseconds. Default: 60,000. */
  readonly idleMs?: number | undefined
  /** How often to reconnect in a row without anything new. 0 for never. Default: 6. */
  readonly maxRetries?: number | undefined
  /** How long to wait before each retry. */
  readonly backoff?: BackoffOptions | undefined
  /** Called once with the id of the session, when the server has sent it. */
  readonly onSession?: ((sessionId: string) => void) | undefined
  /** Called with an event that could not be read and was skipped. Default: it is reported on the console. */
  readonly onBadEvent?: ((problem: string, raw: string) => void) | undefined
  /**
   * Called with every event and every comment as it came, for debugging. After a broken connection, the events of the
   * answer come again from the start.
   */
  readonly onRaw?: ((line: string) => void) | undefined
  /** Counts the events and measures times. */
  readonly meter?: QueryMeter | undefined
}

/**
 * Asks a question, and yields each event of its answer once, even if the connection breaks in between. Skips events
 * that cannot be read, and events of unknown types. The last events are `final` or `error`, and then `usage`.
 *
 * Throws a `ChatError` when the server refuses, or when the answer broke off and could not be continued. Throws the
 * signal's reason when it aborts.
 */
export async function* queryStream(
  query: Query,
  options: QueryStreamOptions = {},
): AsyncGenerator<QueryEvent, void, undefined> {
  const { signal = new AbortController().signal, meter, onBadEvent = logBadEvent } = options
  meter?.begin()
  signal.throwIfAborted()
  for await (const { parsed, raw } of followQuery(questionFrom(query, options), { ...options, signal })) {
    meter?.take(parsed)
    if (parsed.type === 'invalid') callBack(onBadEvent, parsed.problem, raw)
    if (parsed.type === 'event') yield parsed.event
    signal.throwIfAborted()
  }
}

/**
 * The ids are made here, not at the server. So the request is idempotent: sending it again never starts a second
 * answer, even if there was no response to the first one.
 */
function questionFrom({ message, sessionId }: Query, options: QueryStreamOptions): QueryBody {
  const { messageId, agent, onBusy, workspaceId, pageId } = options
  return {
    message,
    session_id: sessionId ?? `chat_${randomHex(16)}`,
    message_id: messageId ?? `msg_${randomHex(16)}`,
    agent,
    workspace_id: workspaceId,
    page_id: pageId,
    onBusy,
  }
}

function logBadEvent(problem: string, raw: string): void {
  console.error(`A bad event was skipped: ${problem}.`, raw)
}

/** What following a query needs. */
interface FollowQueryOptions extends ConnectionOptions {
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
async function* followQuery(
  first: QueryBody,
  options: FollowQueryOptions,
): AsyncGenerator<ReadEvent, void, undefined> {
  const { signal, onSession, maxRetries = 6 } = options
  let question = first
  let hasBegun = false
  // A server that sends ids takes the same question for the same run. An answer that waits in the queue has no id yet.
  let canRepeat = true
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
          question = { ...question, session_id, answer_id: answer_id ?? question.answer_id }
          hasBegun = true
          canRepeat = (received.session_id ?? question.answer_id) !== undefined
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
      if (!canRepeat || !isCut(failure) || retries >= maxRetries) {
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
