import type { ServerResponse } from 'node:http'
import type { StreamSink } from './stream-sink.ts'

/** Returns the sink that writes to Node's response itself. Stream helpers cost several times as much per event. */
export function responseSink(response: ServerResponse): StreamSink {
  return new ResponseSink(response)
}

class ResponseSink implements StreamSink {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get isClosed(): boolean {
    return this.#response.destroyed
  }

  get isEmpty(): boolean {
    return this.#response.writableLength === 0
  }

  write(bytes: Uint8Array): boolean {
    return this.#response.write(bytes)
  }

  drained(maxStallMs: number): Promise<void> {
    const response = this.#response
    return new Promise(resolve => {
      if (!response.writableNeedDrain) {
        resolve()
        return
      }
      const done = () => {
        clearTimeout(stalled)
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      const stalled = setTimeout(() => {
        response.destroy()
        done()
      }, maxStallMs)
      response.on('drain', done)
      response.on('close', done)
    })
  }

  end(): void {
    this.#response.end()
  }

  cut(): void {
    this.#response.destroy()
  }
}
