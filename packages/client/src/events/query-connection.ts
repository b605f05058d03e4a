import { bodyPieces } from '../http/body-pieces.ts'
import { ChatError } from '../http/chat-error.ts'
import { postJson, type RequestOptions } from '../http/post-json.ts'
import { watchStall } from '../http/watch-stall.ts'
import { callBack } from '../page/call-back.ts'
import { createQueryReader, type ReadEvent } from './query-reader.ts'

/** The body of a query. It is idempotent: the server takes a second request with the same ids for the same question. */
export interface Question {
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
export type FromConnection =
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
  question: Question,
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
