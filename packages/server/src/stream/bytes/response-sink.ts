import { ServerResponse } from 'node:http'
import { allocateStreamBytes } from './stream-bytes.ts'
import type { StreamSink } from './stream-sink.ts'

/**
 * Returns the sink that writes to Node's response itself. Stream helpers cost several times as much per event. The head of
 * the response must be sent before.
 */
export function responseSink(response: ServerResponse): StreamSink {
  return new ResponseSink(response)
}

class ResponseSink implements StreamSink {
  readonly #response: ServerResponse
  /** This sink writes the chunk framing of HTTP/1.1 itself. */
  readonly #isFramed: boolean

  constructor(response: ServerResponse) {
    this.#response = response
    this.#isFramed = takeOverFraming(response)
  }

  get isClosed(): boolean {
    return this.#response.destroyed
  }

  get isEmpty(): boolean {
    return this.#response.writableLength === 0
  }

  write(bytes: Uint8Array): boolean {
    const response = this.#response
    if (!this.#isFramed) return response.write(bytes)
    if (bytes.length <= maxCopyBytes) return response.write(framed(bytes))
    // Node joins these writes into one call of the system.
    response.write(`${bytes.length.toString(16)}\r\n`)
    response.write(bytes)
    return response.write('\r\n')
  }

  drained(maxStallMs: number): Promise<void> {
    const response = this.#response
    return new Promise(resolve => {
      if (!response.writableNeedDrain) {
        resolve()
        return
      }
      let { writableLength } = response
      const done = () => {
        clearInterval(stallCheck)
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      const stallCheck = setInterval(() => {
        const isStalled = response.writableLength >= writableLength
        writableLength = response.writableLength
        if (!isStalled) return
        response.destroy()
        done()
      }, maxStallMs)
      response.on('drain', done)
      response.on('close', done)
    })
  }

  end(): void {
    if (this.#isFramed) this.#response.write(lastChunk)
    this.#response.end()
  }

  cut(): void {
    this.#response.destroy()
  }
}

/** The chunk with which a body ends. */
const lastChunk = '0\r\n\r\n'

/** Up to this many bytes, one copy with the framing around it costs less than three writes. */
const maxCopyBytes = 16 * 1024

/**
 * Makes a response whose head is sent leave the chunk framing to us. Returns false if the body has no such framing
 * (HTTP/1.0), or if a middleware of the application has replaced `write`, and must see the body without it.
 *
 * Node writes the framing as three more pieces around each write. That costs more than the write of a small SSE event.
 */
function takeOverFraming(response: ServerResponse): boolean {
  if (!response.headersSent || !response.chunkedEncoding) return false
  if (response.write !== ServerResponse.prototype.write) return false
  response.chunkedEncoding = false
  return true
}

function framed(bytes: Uint8Array): Buffer {
  const size = `${bytes.length.toString(16)}\r\n`
  const chunk = allocateStreamBytes(size.length + bytes.length + 2)
  chunk.write(size, 'latin1')
  chunk.set(bytes, size.length)
  chunk[chunk.length - 2] = 13
  chunk[chunk.length - 1] = 10
  return chunk
}
