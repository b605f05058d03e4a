import { type RecordedEvent, SseRecorder, utf8From } from '@throughline/protocol/history'
import { shorten } from '@throughline/protocol/internal'
import { inOneLine } from '../../text/plain-text.ts'

/** Why a reader does not wait any longer: it has what it wanted, the stream is over, or nothing came in time. */
export type Waited = 'enough' | 'ended' | 'cut' | 'late'

/** A stream of server-sent events, read as fast as it comes. */
export class SseStream implements Disposable {
  readonly headers: Headers
  readonly #recorder = new SseRecorder()
  readonly #connection: AbortController
  #state: 'open' | 'ended' | 'cut' = 'open'
  #wake: () => void = () => {}

  constructor(response: Response, connection: AbortController) {
    this.headers = response.headers
    this.#connection = connection
    this.#read(response.body).then(
      () => this.#end('ended'),
      () => this.#end('cut'),
    )
  }

  get events(): readonly RecordedEvent[] {
    return this.#recorder.events
  }

  /** Comments, and fields that are no events, such as `retry`. */
  get commentCount(): number {
    return this.#recorder.commentCount
  }

  /** Waits until the stream has enough, is over, or has brought no event for `idleMs` milliseconds. */
  async until(isEnough: (stream: SseStream) => boolean, idleMs: number): Promise<Waited> {
    let eventCount = this.events.length
    let deadline = performance.now() + idleMs
    while (!isEnough(this)) {
      if (this.#state !== 'open') return this.#state
      // Heartbeats do not count: they also come when nothing else ever will.
      if (this.events.length > eventCount) deadline = performance.now() + idleMs
      eventCount = this.events.length
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return 'late'
      await this.#change(leftMs)
    }
    return 'enough'
  }

  /** Closes the connection, as a person does who leaves the page. */
  close(): void {
    this.#connection.abort()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #read(body: Response['body']): Promise<void> {
    for await (const bytes of body ?? []) {
      this.#recorder.push(bytes)
      this.#wake()
    }
  }

  #end(state: 'ended' | 'cut'): void {
    this.#state = state
    this.#wake()
  }

  async #change(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const timer = setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
  }
}

/** Returns a number of events in words. */
export function eventCount(count: number): string {
  return count === 1 ? '1 event' : `${count} events`
}

/** Returns an event on one short line, for a person; says so when there is none. */
export function describeEvent(event: RecordedEvent | undefined): string {
  return event === undefined ? 'nothing' : shorten(inOneLine(utf8From(event.bytes).trim()), 160)
}
