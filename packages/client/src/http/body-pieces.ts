/** Yields the bytes of a response body as they arrive. Leaving the loop early cancels the request. */
export async function* bodyPieces<Bytes extends Uint8Array>(
  body: ReadableStream<Bytes>,
): AsyncGenerator<Bytes, void, undefined> {
  // Uses a reader, because Safari cannot iterate over a stream.
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Nobody needs the rest of the body, so a failure to cancel it does not matter.
    await reader.cancel().catch(() => undefined)
  }
}
