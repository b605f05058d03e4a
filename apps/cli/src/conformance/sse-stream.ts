import { type ReceivedEvent, SseSplitter } from './sse-splitter.ts'

/** Why a reader does not wait any longer: it has what it wanted, the stream is over, or nothing came in time. */
export type Waited = 'enough' | 'ended' | 'cut' | 'late'

/** A stream of server-sent events, read as fast as it comes. */
export class SseStream implements Disposable {
  readonly headers: Headers
  readonly events: ReceivedEvent[] = []
  /** Comments, and fields that are no events, such as `retry`. */
  commentCount = 0
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
    if (body === null) return
    const decoder = new TextDecoder()
    const splitter = new SseSplitter()
    for await (const bytes of body) {
      for (const block of splitter.push(decoder.decode(bytes, { stream: true }), performance.now())) {
        if (block.type === 'event') this.events.push(block.event)
        else this.commentCount += 1
      }
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
