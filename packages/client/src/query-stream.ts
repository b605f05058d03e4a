import { type ParsedQueryEvent, parseQueryEvent, type QueryEvent } from '@throughline/protocol/query-event'
import { createParser } from 'eventsource-parser'
import { callBack } from './call-back.ts'
import { asChatError, ChatError } from './chat-error.ts'
import { chunksOf } from './chunks-of.ts'
import { postJson, type RequestOptions } from './post-json.ts'
import type { QueryMeter } from './query-meter.ts'
import { watchStall } from './watch-stall.ts'

export interface Query {
  readonly message: string
  /** None: the server makes a session of its own for the query. */
  readonly sessionId?: string | null | undefined
}

export interface QueryStreamOptions extends RequestOptions {
  /** How fine the text comes: as the model writes it, or a step at a time. */
  readonly level?: 'delta' | 'step' | undefined
  /** What becomes of an answer that the same session is still being given: by default this query is refused. */
  readonly onBusy?: 'reject' | 'queue' | 'interrupt' | undefined
  /** How long the server may be silent. */
  readonly idleMs?: number | undefined
  /** Told the session's id as soon as the server answers, also when it has made the session itself. */
  readonly onSession?: ((sessionId: string) => void) | undefined
  /** Told what could not be read and was skipped; by default the browser's console is. */
  readonly onBadEvent?: ((problem: string, raw: string) => void) | undefined
  /** Told every event and every comment as it came, for a look at the wire. */
  readonly onRaw?: ((line: string) => void) | undefined
  readonly meter?: QueryMeter | undefined
}

/**
 * Asks, and yields the events that come. A bad one is reported and skipped, one of an unknown type passed by. It is
 * over after a `final` or an `error` event; a stream that ends without one is thrown as a `ChatError`, like any other
 * failure. An abort is thrown as the signal's reason.
 */
export async function* queryStream(
  query: Query,
  options: QueryStreamOptions = {},
): AsyncGenerator<QueryEvent, void, undefined> {
  const { signal = new AbortController().signal, idleMs = 60_000, onRaw, meter } = options
  const { onSession, onBadEvent = logBadEvent } = options
  const watch = watchStall(signal, idleMs)
  const reader = createEventReader(line => callBack(onRaw, line))
  meter?.begin()
  try {
    signal.throwIfAborted()
    const { body, headers } = await ask(query, { ...options, signal: watch.signal })
    signal.throwIfAborted()
    const session = headers.get('x-session-id')
    if (session !== null) callBack(onSession, session)
    const decoder = new TextDecoder()
    for await (const bytes of chunksOf(body)) {
      watch.restart()
      for (const { parsed, raw } of reader.read(decoder.decode(bytes, { stream: true }))) {
        signal.throwIfAborted()
        meter?.take(parsed)
        if (parsed.type === 'invalid') callBack(onBadEvent, parsed.problem, raw)
        if (parsed.type === 'event') yield parsed.event
      }
      if (reader.isDone) return
    }
    if (!reader.hasEnd) throw brokenOff(headers)
  } catch (error) {
    signal.throwIfAborted()
    // The answer is whole; a connection that breaks after it costs its usage at most.
    if (!reader.hasEnd) throw asChatError(error)
  } finally {
    watch.stop()
  }
}

async function ask({ message, sessionId }: Query, options: QueryStreamOptions) {
  const path = options.level === 'step' ? '/agent/query-stream' : '/agent/query-stream-delta'
  const session = sessionId == null ? {} : { session_id: sessionId, onBusy: options.onBusy }
  const { body, headers } = await postJson(path, { message, ...session }, options)
  if (body === null) throw brokenOff(headers)
  return { body, headers }
}

interface Received {
  readonly parsed: ParsedQueryEvent
  readonly raw: string
}

/** Reads events from text as it comes, wherever it is split. */
function createEventReader(onRaw: (line: string) => void) {
  let received: Received[] = []
  let hasFinal = false
  let hasEnd = false
  let isDone = false
  const parser = createParser({
    onEvent({ data: raw }) {
      if (isDone) return
      onRaw(`data: ${raw}`)
      const parsed = parseQueryEvent(raw)
      const type = parsed.type === 'event' ? parsed.event.type : undefined
      // A final answer stays what it is: its cost may follow, and nothing else.
      if (hasFinal && type !== 'usage') return
      hasFinal ||= type === 'final'
      hasEnd ||= type === 'final' || type === 'error'
      received.push({ parsed, raw })
    },
    onComment(comment) {
      if (isDone) return
      onRaw(`: ${comment.trim()}`)
      // Some servers say it at the beginning too.
      isDone = hasEnd && comment.trim() === 'done'
    },
  })
  return {
    read(text: string): readonly Received[] {
      received = []
      parser.feed(text)
      return received
    },
    /** Whether the answer has come to its end. */
    get hasEnd() {
      return hasEnd
    },
    /** Whether the server has said that nothing more will come. */
    get isDone() {
      return isDone
    },
  }
}

function brokenOff(headers: Headers): ChatError {
  const type = headers.get('content-type') ?? ''
  const isOther = type !== '' && !type.includes('text/event-stream')
  return new ChatError(
    'broken-stream',
    isOther
      ? `The server answered with ${type}, not with events. Check that "url" is the server's.`
      : 'The answer broke off before its end. Ask again.',
  )
}

function logBadEvent(problem: string, raw: string): void {
  console.error(`A bad event was skipped: ${problem}.`, raw)
}
