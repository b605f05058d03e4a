import { randomHex } from '@throughline/protocol/ids'
import type { QueryEvent } from '@throughline/protocol/query-event'
import type { BackoffOptions } from './backoff.ts'
import { callBack } from './call-back.ts'
import { type FollowQueryOptions, followQuery } from './follow-query.ts'
import type { Question } from './query-connection.ts'
import type { QueryMeter } from './query-meter.ts'

export interface Query {
  readonly message: string
  /** None: a session is made for the query. */
  readonly sessionId?: string | null | undefined
}

export interface QueryStreamOptions extends Omit<FollowQueryOptions, 'signal'> {
  readonly signal?: AbortSignal | undefined
  /** How fine the text comes: as the model writes it, or a step at a time. */
  readonly level?: 'delta' | 'step' | undefined
  /** Who is to answer; by default the server's first agent. */
  readonly agent?: string | undefined
  /** What becomes of an answer that the same session is still being given: by default this query is refused. */
  readonly onBusy?: 'reject' | 'queue' | 'interrupt' | undefined
  /** The message's own id; by default a new one. A query with the same session and the same id gets the same answer. */
  readonly messageId?: string | undefined
  /** How long the server may be silent before the connection counts as cut, in milliseconds: 60,000. */
  readonly idleMs?: number | undefined
  /** How often a cut connection is replaced before anything new has come: 6. None: 0. */
  readonly maxRetries?: number | undefined
  /** How long to wait before each retry. */
  readonly backoff?: BackoffOptions | undefined
  /** Told the session's id as soon as the server answers. */
  readonly onSession?: ((sessionId: string) => void) | undefined
  /** Told what could not be read and was skipped; by default the browser's console is. */
  readonly onBadEvent?: ((problem: string, raw: string) => void) | undefined
  /** Told every event and every comment as it came, for a look at the wire. After a cut the answer comes anew. */
  readonly onRaw?: ((line: string) => void) | undefined
  readonly meter?: QueryMeter | undefined
}

/**
 * Asks, and yields each event once, whatever happens to the connection. A bad one is reported and skipped, one of an
 * unknown type passed by. It is over after a `final` or an `error` event and what the answer used. What keeps the answer
 * from coming to its end is thrown as a `ChatError`, and an abort as the signal's reason.
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
 * The ids are made here. The server knows a question by them, so that a second request cannot start a second answer,
 * also when nothing came back of the first one.
 */
function questionFrom({ message, sessionId }: Query, options: QueryStreamOptions): Question {
  const { messageId, agent, onBusy } = options
  return {
    message,
    session_id: sessionId ?? `chat_${randomHex(16)}`,
    message_id: messageId ?? `msg_${randomHex(16)}`,
    agent,
    onBusy,
  }
}

function logBadEvent(problem: string, raw: string): void {
  console.error(`A bad event was skipped: ${problem}.`, raw)
}
