import { type ParsedQueryEvent, parseQueryEvent } from '@throughline/protocol'
import { createParser } from 'eventsource-parser'
import { bodyPieces, watchStall } from '../http/body-pieces.ts'
import { ChatError } from '../http/chat-error.ts'
import { postJson, type RequestOptions } from '../http/post-json.ts'
import { callBack } from '../page/callbacks.ts'

/** The body of a query. It is idempotent: the server takes a second request with the same ids for the same question. */
export interface QueryBody {
  readonly message: string
  readonly session_id: string
  readonly message_id: string
  /** The id of the answer, as soon as it is known. Later requests ask for this answer and for no other. */
  readonly answer_id?: string | undefined
  readonly agent?: string | undefined
  readonly workspace_id?: string | undefined
  readonly page_id?: string | undefined
  readonly onBusy?: string | undefined
}

/** What one connection of a query needs. */
export interface ConnectionOptions extends RequestOptions {
  /** Ends the connection. */
  readonly signal: AbortSignal
  /** How text comes. See `QueryStreamOptions`. */
  readonly level?: 'delta' | 'step' | undefined
  /** How long the server may be silent, in milliseconds. Default: 60,000. */
  readonly idleMs?: number | undefined
  /** Called with every event and every comment as it came. */
  readonly onRaw?: ((line: string) => void) | undefined
}

/** What one connection of a query yields. */
type FromConnection =
  /** The headers of the response have come, with the server's ids if it has any. */
  | {
      readonly type: 'head'
      readonly session_id: string | undefined
      readonly answer_id: string | undefined
    }
  | ({ readonly type: 'event' } & ReadEvent)
  /** The server has sent everything. */
  | { readonly type: 'done' }

/**
 * Sends a query over one connection, and yields its events from the start of the answer. Ends with `done`. Throws a
 * `ChatError` when the connection breaks before that.
 */
export async function* connectQuery(
  question: QueryBody,
  options: ConnectionOptions,
): AsyncGenerator<FromConnection, void, undefined> {
  const { level, idleMs = 60_000, onRaw } = options
  const watch = watchStall(options.signal, idleMs)
  const reader = createQueryReader(line => callBack(onRaw, line))
  try {
    const path = level === 'step' ? '/agent/query-stream' : '/agent/query-stream-delta'
    const { body, headers } = await postJson(path, question, { ...options, signal: watch.signal })
    const type = headers.get('content-type') ?? ''
    if (body === null || (type !== '' && !type.includes('text/event-stream'))) throw noEvents(type)
    const id = (name: string) => headers.get(`x-${name}-id`) ?? undefined
    yield { type: 'head', session_id: id('session'), answer_id: id('answer') }
    const decoder = new TextDecoder()
    for await (const bytes of bodyPieces(body)) {
      watch.restart()
      for (const event of reader.read(decoder.decode(bytes, { stream: true })))
        yield { type: 'event', ...event }
      if (reader.isDone) return yield { type: 'done' }
    }
    throw new ChatError('network', 'The connection ended.')
  } finally {
    watch.stop()
  }
}

function noEvents(type: string): ChatError {
  return new ChatError(
    'broken-stream',
    `The server responded with ${type || 'nothing'}, not with events. Check that "url" is the server's.`,
  )
}

/** One event of the event API. */
export interface ReadEvent {
  readonly parsed: ParsedQueryEvent
  /** The event's data as it came. */
  readonly raw: string
}

/** Reads the events of one connection. */
interface QueryReader {
  /** Takes the next piece of text, which may end anywhere. Returns the events that are complete now. */
  read(text: string): readonly ReadEvent[]
  /** Whether the server has sent everything: a `: done` comment after the end of the answer. */
  readonly isDone: boolean
}

/** Returns a reader for one connection. `onRaw` gets each event and each comment as a line of text. */
function createQueryReader(onRaw: (line: string) => void): QueryReader {
  let events: ReadEvent[] = []
  let hasFinal = false
  let hasEnd = false
  let isDone = false
  const parser = createParser({
    onEvent({ data: raw }) {
      if (isDone) return
      onRaw(`data: ${raw}`)
      const parsed = parseQueryEvent(raw)
      const type = parsed.type === 'event' ? parsed.event.type : undefined
      // After `final` only `usage` may follow. Any other event is reported as invalid, so the answer does not change.
      const isLate = hasFinal && type !== undefined && type !== 'usage'
      hasFinal ||= type === 'final'
      hasEnd ||= isEnd(parsed)
      events.push({ parsed: isLate ? late(type) : parsed, raw })
    },
    onComment(comment) {
      if (isDone) return
      onRaw(`: ${comment.trim()}`)
      // Only after the end of the answer: some servers send this comment at the beginning too.
      isDone = hasEnd && comment.trim() === 'done'
    },
  })
  return {
    read(text) {
      events = []
      parser.feed(text)
      return events
    },
    get isDone() {
      return isDone
    },
  }
}

/** Returns whether this event ends the answer. */
export function isEnd(parsed: ParsedQueryEvent): boolean {
  return parsed.type === 'event' && (parsed.event.type === 'final' || parsed.event.type === 'error')
}

function late(type: string): ParsedQueryEvent {
  return { type: 'invalid', problem: `a ${type} event came after the final one` }
}
