import { asChatError, type ChatError, type createChatApi, receive } from '@throughline/client'
import type { Entry, Position } from '@throughline/protocol'

/** How often a page that shows a growing log is drawn again, in milliseconds. */
const drawEveryMs = 200
/** How long to wait for a chat that does not exist yet, and for a server that cannot be reached, in milliseconds. */
const askAgainMs = 1_000
/** After this time, the reader yields to the browser, in milliseconds. */
const sliceMs = 8

/**
 * `loading`: not all entries that the chat has now are there yet. `live`: they are, and new ones follow. `lost`: the
 * connection is lost, and the reader tries again. `trimmed`: the log does not begin with its first entry any more.
 * `empty`: the chat does not exist yet. `failed`: `problem` says why.
 */
type LogStatus = 'loading' | 'live' | 'lost' | 'trimmed' | 'empty' | 'failed'

/** What has been read. Immutable: there is a new object, with new lists, when something has changed. */
export interface ReadLog {
  readonly entries: readonly Entry[]
  /** The size of each entry as JSON, in bytes. */
  readonly sizes: readonly number[]
  readonly status: LogStatus
  readonly problem?: ChatError
}

/** What reading a log needs from the server. */
export interface LogSource extends Pick<ReturnType<typeof createChatApi>, 'logUrl' | 'request'> {
  /** Returns the end of the log; `undefined` when there is no such chat. */
  end(signal: AbortSignal): Promise<Position | undefined>
}

/** Reads the log of a chat from its first entry, and follows it. */
export class LogReader {
  readonly #source: LogSource
  readonly #listeners = new Set<() => void>()
  #entries: Entry[] = []
  #sizes: number[] = []
  #snapshot: ReadLog = { entries: [], sizes: [], status: 'loading' }
  #drawnAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(source: LogSource) {
    this.#source = source
  }

  getSnapshot = (): ReadLog => this.#snapshot

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads from the beginning until the signal aborts. Does not reject: the snapshot says what went wrong. */
  async read(signal: AbortSignal): Promise<void> {
    this.#entries = []
    this.#sizes = []
    this.#tell('loading')
    try {
      const end = await this.#findEnd(signal)
      if (end !== undefined) await this.#follow(end, signal)
    } catch (error) {
      if (!signal.aborted) this.#tell('failed', asChatError(error))
    } finally {
      clearTimeout(this.#timer)
    }
  }

  /** Returns the end of the log. Asks again while there is no chat yet, and while the server cannot be reached. */
  async #findEnd(signal: AbortSignal): Promise<Position | undefined> {
    while (!signal.aborted) {
      try {
        const end = await this.#source.end(signal)
        if (end !== undefined) return end
        this.#tell('empty')
      } catch (error) {
        if (signal.aborted) return undefined
        if (!asChatError(error).isTemporary) throw error
        this.#tell('lost')
      }
      await new Promise(resolve => setTimeout(resolve, askAgainMs))
    }
    return undefined
  }

  async #follow({ epoch, seq: end }: Position, signal: AbortSignal): Promise<void> {
    const { logUrl: url, request } = this.#source
    const statusNow = () => (this.#entries.length < end ? 'loading' : 'live')
    if (end === 0) this.#tell('live')
    let sliceEnd = performance.now() + sliceMs
    for await (const received of receive({ url, request, signal, after: { epoch, seq: 0 } })) {
      if (received.type === 'reset') return this.#tell('trimmed')
      if (received.type === 'disconnected') this.#tell('lost')
      if (received.type === 'connected') this.#tell(statusNow())
      if (received.type !== 'entries') continue
      for (const entry of received.entries) {
        this.#entries.push(entry)
        this.#sizes.push(entrySize(entry))
      }
      this.#tellSoon(statusNow())
      // Pieces that have arrived already are read without a pause between them. So this yields to the browser.
      if (performance.now() < sliceEnd) continue
      await new Promise(resolve => setTimeout(resolve))
      sliceEnd = performance.now() + sliceMs
    }
  }

  /** Tells now when the last time is long ago, otherwise a little later: once for many entries. */
  #tellSoon(status: LogStatus): void {
    const waitMs = this.#drawnAt + drawEveryMs - performance.now()
    if (waitMs <= 0 || (status === 'live' && this.#snapshot.status === 'loading')) return this.#tell(status)
    this.#timer ??= setTimeout(() => this.#tell(status), waitMs)
  }

  #tell(status: LogStatus, problem?: ChatError): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#drawnAt = performance.now()
    const read = { entries: [...this.#entries], sizes: [...this.#sizes], status }
    this.#snapshot = problem === undefined ? read : { ...read, problem }
    for (const listener of this.#listeners) listener()
  }
}

const encoder = new TextEncoder()

/** Returns the size of an entry in bytes: as JSON, the form in which it is sent. */
export function entrySize(entry: Entry): number {
  return encoder.encode(JSON.stringify(entry)).length
}

/** The page reads this many bytes in about two milliseconds. */
const pieceBytes = 32 * 1024

/**
 * Returns a response whose body comes in small pieces. A browser can pass on a long log in pieces of half a megabyte, and
 * the page would stand still while one of them is read.
 */
export function inPieces(response: Response): Response {
  if (response.body === null) return response
  const cut = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      for (let start = 0; start < bytes.length; start += pieceBytes)
        controller.enqueue(bytes.slice(start, start + pieceBytes))
    },
  })
  return new Response(response.body.pipeThrough(cut), response)
}
