import type { StreamSink } from './stream-sink.ts'

/** The callbacks of a web sink. */
export interface WebSinkEvents {
  /** Called once, when the viewer has taken the last byte, has left, or was cut off. */
  readonly onClose: () => void
  /** Called before `onClose` when the viewer has taken the last byte. */
  readonly onFinish: () => void
}

/** How many bytes wait for a slow viewer before the writer waits too. Node's responses hold as much. */
const highWaterMark = 64 * 1024

/** Makes the body of a web-standard response, and the sink that writes to it. */
export function webSink(events: WebSinkEvents): {
  readonly sink: StreamSink
  readonly body: ReadableStream<Uint8Array>
} {
  const source = new SinkSource(events)
  const body = new ReadableStream<Uint8Array>(source, new ByteLengthQueuingStrategy({ highWaterMark }))
  return { sink: source, body }
}

/**
 * Both ends of one stream. The runtime calls `start`, `pull` and `cancel`. It calls `pull` whenever the viewer has
 * taken something and there is room again.
 */
class SinkSource implements StreamSink, UnderlyingDefaultSource<Uint8Array> {
  readonly #events: WebSinkEvents
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #wake: () => void = () => undefined
  #isEnding = false
  isClosed = false

  constructor(events: WebSinkEvents) {
    this.#events = events
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
  }

  pull(): void {
    if (this.#isEnding && this.isEmpty) this.#finish()
    else this.#wake()
  }

  cancel(): void {
    this.#close()
  }

  get isEmpty(): boolean {
    return this.#controller?.desiredSize === highWaterMark
  }

  write(bytes: Uint8Array): boolean {
    if (this.isClosed) return true
    this.#controller?.enqueue(bytes)
    return this.#hasRoom
  }

  async drained(maxStallMs: number): Promise<void> {
    if (this.isClosed || this.#hasRoom) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const stalled = setTimeout(() => this.cut(), maxStallMs)
    this.#wake = resolve
    await promise
    clearTimeout(stalled)
  }

  end(): void {
    this.#isEnding = true
    if (this.isEmpty) this.#finish()
  }

  cut(): void {
    if (this.isClosed) return
    this.#controller?.error(
      new DOMException('The stream was cut off. Resume it from your position.', 'AbortError'),
    )
    this.#close()
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  #finish(): void {
    if (this.isClosed) return
    this.#controller?.close()
    this.#events.onFinish()
    this.#close()
  }

  #close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#wake()
    this.#events.onClose()
  }
}
