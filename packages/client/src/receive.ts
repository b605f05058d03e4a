import { type Entry, parseEntry } from '@throughline/protocol/entry'
import { formatPosition, type Position, parsePosition } from '@throughline/protocol/position'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { asChatError, ChatError, errorFrom } from './chat-error.ts'
import { chunksOf } from './chunks-of.ts'
import type { Waker } from './waker.ts'
import { watchStall } from './watch-stall.ts'

export interface ReceiveOptions {
  /** The address of the chat's log. */
  readonly url: string
  readonly after: Position
  readonly signal: AbortSignal
  readonly request: (url: string, init: RequestInit) => Promise<Response>
  /** Cuts pauses short, and connections that may be dead. */
  readonly waker?: Waker | undefined
  readonly stallMs?: number | undefined
  readonly backoff?: BackoffOptions | undefined
}

export type Received =
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected'; readonly error: ChatError }
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  /** The position is no good: load the messages again. Nothing follows. */
  | { readonly type: 'reset' }

/**
 * The entries of a log after a position, each once and in order, over as many connections as it takes. It holds no
 * state but its position. Ends with a reset, when the signal aborts, or by throwing what no retry can mend.
 */
export async function* receive(options: ReceiveOptions): AsyncGenerator<Received, void, undefined> {
  const { signal, waker, backoff } = options
  let position = options.after
  for (let attempt = 0; !signal.aborted; ) {
    try {
      for await (const received of connection({ ...options, after: position })) {
        if (received.type === 'entries') position = advanced(position, received.entries)
        // A connection that brought something was a good one, so the next failure is a first one again.
        if (received.type !== 'connected') attempt = 0
        if (received.type === 'entries' && received.entries.length === 0) continue
        yield received
        if (received.type === 'reset') return
      }
      throw new ChatError('network', 'The connection ended.')
    } catch (error) {
      if (signal.aborted) return
      const failure = asChatError(error)
      if (!failure.isTemporary) throw failure
      yield { type: 'disconnected', error: failure }
    }
    await pause(backoffMs(attempt, backoff), wakeable(signal, waker))
    attempt += 1
  }
}

/** One connection, from a position to wherever it breaks. Whatever comes is told, if only as no entries. */
async function* connection(options: ReceiveOptions): AsyncGenerator<Received, void, undefined> {
  const { url, after, signal, request, waker, stallMs } = options
  const watch = watchStall(wakeable(signal, waker), stallMs)
  try {
    const response = await request(`${url}?after=${formatPosition(after)}`, {
      headers: { accept: 'text/event-stream' },
      signal: watch.signal,
    })
    if (!response.ok || response.body === null) throw await errorFrom(response)
    yield { type: 'connected' }
    const events = createEventReader(after.seq)
    const decoder = new TextDecoder()
    for await (const bytes of chunksOf(response.body)) {
      watch.restart()
      waker?.heard()
      const { entries, isReset } = events(decoder.decode(bytes, { stream: true }))
      yield { type: 'entries', entries }
      if (isReset) yield { type: 'reset' }
    }
  } finally {
    watch.stop()
  }
}

/** Reads events from text as it comes: skips what was seen, and stops at what does not follow. */
function createEventReader(lastSeq: number) {
  let seq = lastSeq
  let entries: Entry[] = []
  let isReset = false
  const parser = createParser({
    onEvent({ event, data }: EventSourceMessage) {
      if (event === 'reset') isReset = true
      if (event !== undefined) return
      const parsed = parseEntry(data)
      if (parsed.type === 'invalid')
        throw new ChatError('broken-stream', `The stream cannot be read: ${parsed.problem}.`)
      const { entry } = parsed
      if (entry.seq <= seq) return
      if (entry.seq !== seq + 1) throw new ChatError('network', `Entries after ${seq} are missing.`)
      seq = entry.seq
      entries.push(entry)
    },
  })
  return (text: string) => {
    entries = []
    parser.feed(text)
    return { entries, isReset }
  }
}

function wakeable(signal: AbortSignal, waker: Waker | undefined): AbortSignal {
  return waker === undefined ? signal : AbortSignal.any([signal, waker.signal])
}

function advanced(position: Position, entries: readonly Entry[]): Position {
  return { epoch: position.epoch, seq: entries.at(-1)?.seq ?? position.seq }
}

export function positionFrom(text: unknown): Position {
  const position = typeof text === 'string' ? parsePosition(text) : undefined
  if (position === undefined) throw new ChatError('broken-stream', 'The server sent no valid position.')
  return position
}
