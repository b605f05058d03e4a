/** The pieces of a body as they come. Leaving the loop early cancels the request. */
export async function* bodyPieces<Bytes extends Uint8Array>(
  body: ReadableStream<Bytes>,
): AsyncGenerator<Bytes, void, undefined> {
  // Safari's streams cannot be iterated, so this reads by hand.
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // What was cancelled is of no interest any more, nor whether that went well.
    await reader.cancel().catch(() => undefined)
  }
}
