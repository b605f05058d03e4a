import { type Entry, formatPosition, type Position, parseEntry, parsePosition } from '@throughline/protocol'
import { pause } from '@throughline/protocol/internal'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type BackoffOptions, backoffMs } from '../http/backoff.ts'
import { bodyPieces, watchStall } from '../http/body-pieces.ts'
import { asChatError, assertEvents, badData, ChatError, errorFrom } from '../http/chat-error.ts'
import { Waker } from './waker.ts'

/** `fetch` with the headers of the application. */
export type Request = (
  url: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<Response>

/** What receiving a log needs. */
export interface ReceiveOptions {
  /** The address of the chat's log. */
  readonly url: string
  /** The position after which the entries are wanted. */
  readonly after: Position
  /** Ends receiving. */
  readonly signal: AbortSignal
  readonly request: Request
  /** Ends pauses, and connections that may be dead, so that the next attempt begins at once. */
  readonly waker?: Waker | undefined
  /** How long the server may be silent before the connection counts as lost, in milliseconds. Default: 30,000. */
  readonly stallMs?: number | undefined
  readonly backoff?: BackoffOptions | undefined
}

/** What `receive` yields: the state of the connection, and entries. */
export type Received =
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected'; readonly error: ChatError }
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  /** The server does not know the position any more. Load the messages again. Nothing follows. */
  | { readonly type: 'reset' }

/**
 * Yields the entries of a log after a position, each once and in order, over as many connections as it takes. Ends with
 * a reset, or when the signal aborts. Throws a `ChatError` that no retry can mend.
 */
export async function* receive(options: ReceiveOptions): AsyncGenerator<Received, void, undefined> {
  const { signal, waker = new Waker() } = options
  const position = { ...options.after }
  let attempt = 0
  let entries: Entry[] = []
  let isReset = false

  /** Skips entries that were seen before. Throws when entries are missing, which ends the connection. */
  function onEvent({ event, data }: EventSourceMessage): void {
    if (event === 'reset') isReset = true
    if (event) return
    const parsed = parseEntry(data)
    if (parsed.type === 'invalid')
      throw new ChatError('broken-stream', `The stream cannot be read: ${parsed.problem}.`)
    const { entry } = parsed
    const last = position.seq + entries.length
    if (entry.seq > last + 1) throw new ChatError('network', `Entries after ${last} are missing.`)
    if (entry.seq > last) entries.push(entry)
  }

  /** Receives over one connection, from the current position on. Returns after a reset; throws when it breaks. */
  async function* connection(): AsyncGenerator<Received, void, undefined> {
    const watch = watchStall(AbortSignal.any([signal, waker.signal]), options.stallMs)
    try {
      const response = await options.request(`${options.url}?after=${formatPosition(position)}`, {
        headers: { accept: 'text/event-stream' },
        signal: watch.signal,
      })
      if (!response.ok || response.body === null) throw await errorFrom(response)
      assertEvents(response)
      yield { type: 'connected' }
      const parser = createParser({ onEvent })
      const decoder = new TextDecoder()
      for await (const bytes of bodyPieces(response.body)) {
        watch.restart()
        waker.heard()
        // This connection works. If it breaks, the backoff starts from the beginning.
        attempt = 0
        entries = []
        parser.feed(decoder.decode(bytes, { stream: true }))
        position.seq += entries.length
        if (entries.length > 0) yield { type: 'entries', entries }
        if (isReset) return yield { type: 'reset' }
      }
      throw new ChatError('network', 'The connection ended.')
    } finally {
      watch.stop()
    }
  }

  for (; !signal.aborted; attempt += 1) {
    try {
      return yield* connection()
    } catch (error) {
      if (signal.aborted) return
      const failure = asChatError(error)
      if (!failure.isTemporary) throw failure
      yield { type: 'disconnected', error: failure }
    }
    await pause(backoffMs(attempt, options.backoff), AbortSignal.any([signal, waker.signal]))
  }
}

/** Reads a position from a response of the server. Throws a `ChatError` when it is not valid. */
export function positionFrom(text: unknown): Position {
  const position = parsePosition(String(text))
  if (!position) throw badData('it has no valid position')
  return position
}
