import { setTimeout } from 'node:timers/promises'
import { isRecord } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { createParser } from 'eventsource-parser'

/** How streams are resumed. */
export interface ResumeOptions {
  /** How often a stream is asked for again without a new event of it. */
  readonly retries: number
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
}

/** How long to wait before a stream is asked for again, in milliseconds, when its server has not said it. */
const usualDelayMs = 1_000
/** The longest wait that a server can ask for, in milliseconds. */
const maxDelayMs = 30_000

/**
 * Makes a `fetch` that goes on with a stream of events which ended too early: it waits as long as the server said with
 * `retry:`, and asks for what comes after the last event. Only streams whose events have ids can be resumed.
 */
export function resumedFetch(inner: typeof fetch, options: ResumeOptions): typeof fetch {
  return async (input, init = {}) => {
    const response = await inner(input, init)
    const isEvents = response.headers.get('content-type')?.includes('text/event-stream') === true
    if (!response.ok || response.body === null || !isEvents) return response
    const again = (lastEventId: string) =>
      inner(input, { ...resumeInit(init), headers: resumeHeaders(init, lastEventId) })
    const bytes = streamOf(wholeStream(response.body, { init, again, ...options }))
    const { status, statusText, headers } = response
    const copy = new Response(bytes, { status, statusText, headers })
    Object.defineProperty(copy, 'url', { value: response.url })
    return copy
  }
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel() {
      // Not awaited: the connection may be silent until its signal aborts.
      void pieces.return(undefined)
    },
  })
}

function resumeInit({ signal = null, redirect = 'error' }: RequestInit): RequestInit {
  return { method: 'GET', signal, redirect }
}

function resumeHeaders({ headers }: RequestInit, lastEventId: string): Headers {
  const copy = new Headers(headers)
  for (const name of ['content-type', 'content-length']) copy.delete(name)
  copy.set('accept', 'text/event-stream')
  copy.set('last-event-id', lastEventId)
  return copy
}

interface Resumption extends ResumeOptions {
  readonly init: RequestInit
  readonly again: (lastEventId: string) => Promise<Response>
}

async function* wholeStream(
  first: ReadableStream<Uint8Array>,
  { init, again, retries, pause = pauseFor }: Resumption,
): AsyncGenerator<Uint8Array> {
  const seen = new SeenEvents(init)
  let body: ReadableStream<Uint8Array> | null = first
  let failures = 0
  // Why the newest connection broke; `undefined` when it ended.
  let error: unknown
  for (;;) {
    const before = seen.count
    if (body !== null) error = yield* piecesOf(body, seen)
    failures = seen.count > before ? 0 : failures + 1
    const { lastEventId } = seen
    if (seen.isAnswered || init.signal?.aborted === true) return
    if (lastEventId === undefined || failures >= retries) {
      if (error !== undefined) throw error
      return
    }
    await pause(seen.delayMs ?? usualDelayMs, init.signal ?? undefined)
    const response = await again(lastEventId).catch((refused: unknown) => {
      error = refused
      return undefined
    })
    // A server that does not know the stream any more has nothing else to send.
    if (response?.ok === false && response.status < 500) return
    body = response?.ok === true ? response.body : null
    // Ends an event that was cut off. Nobody can read it, and the server sends it again.
    yield new TextEncoder().encode('\n\n')
  }
}

/** Yields the pieces of one connection. Returns why it broke; `undefined` when it ended. */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  seen: SeenEvents,
): AsyncGenerator<Uint8Array, unknown> {
  seen.begin()
  try {
    for await (const piece of body) {
      seen.add(piece)
      yield piece
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** What the events of a stream so far say about going on with it. */
class SeenEvents {
  readonly #requestId: unknown
  #decoder = new TextDecoder()
  #parser = createParser({})
  lastEventId: string | undefined
  delayMs: number | undefined
  isAnswered = false
  count = 0

  constructor({ body }: RequestInit) {
    const request: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
    this.#requestId = isRecord(request) ? request['id'] : undefined
  }

  /** Begins a connection. What was left of the one before is no whole event. */
  begin(): void {
    this.#decoder = new TextDecoder()
    this.#parser = createParser({
      onEvent: ({ id, data }) => {
        this.count += 1
        this.lastEventId = id ?? this.lastEventId
        // The response is the last message of the stream of a request.
        if (this.#requestId !== undefined && isResponse(data, this.#requestId)) this.isAnswered = true
      },
      onRetry: delayMs => {
        this.delayMs = Math.min(delayMs, maxDelayMs)
      },
    })
  }

  add(piece: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(piece, { stream: true }))
  }
}

function isResponse(data: string, requestId: unknown): boolean {
  try {
    const message: unknown = JSON.parse(data)
    return isRecord(message) && message['id'] === requestId && ('result' in message || 'error' in message)
  } catch {
    return false
  }
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // The next request rejects when the signal has aborted.
  await setTimeout(ms, undefined, defined({ signal })).catch(() => undefined)
}
