/**
 * Makes a `fetch` that ends a response with a message that is too large. A stream of events may have any length, but each of
 * its lines is limited.
 */
export function limitedFetch(onFlood: (error: unknown) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, statusText, headers } = response
    if (body === null) return response
    const isEvents = headers.get('content-type')?.includes('text/event-stream') === true
    const limited = body.pipeThrough(limiter(isEvents, onFlood))
    const copy = new Response(limited, { status, statusText, headers })
    // Redirects and relative addresses depend on this address.
    Object.defineProperty(copy, 'url', { value: response.url })
    return copy
  }
}

function limiter(
  isEvents: boolean,
  onFlood: (error: unknown) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(piece, controller) {
      const lastEnd = isEvents ? piece.lastIndexOf(0x0a) : -1
      bytes = lastEnd === -1 ? bytes + piece.length : piece.length - lastEnd - 1
      if (bytes <= maxMcpMessageBytes) return controller.enqueue(piece)
      const error = new McpMessageTooLarge(maxMcpMessageBytes)
      controller.error(error)
      onFlood(error)
    },
  })
}

/** The largest picture that is kept has ten megabytes. In JSON it has fourteen. */
export const maxMcpMessageBytes = 32 * 1024 * 1024

/** A server has sent a message that is too large. The message and the connection are lost. */
export class McpMessageTooLarge extends Error {
  override readonly name = 'McpMessageTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`It sent more than ${sizeText(maxBytes)} in one message, so it was cut off.`)
    this.maxBytes = maxBytes
  }
}

/** Returns a size as text for a person. */
export function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`
}
