import type { FormReader, RemoteEvent } from './form-reader.ts'
import type { ServiceErrors } from './service-errors.ts'
import type { SseMessage } from './sse-messages.ts'

/**
 * Yields what a reader finds in a stream. When the stream breaks, everything before that is yielded first. Throws what
 * broke the stream, and a `RemoteServiceError` when the stream ends before the answer is whole.
 */
export async function* readStream(
  messages: AsyncIterable<SseMessage>,
  reader: FormReader,
  errors: ServiceErrors,
): AsyncGenerator<RemoteEvent, void, undefined> {
  let failure: unknown
  try {
    for await (const { data } of messages) {
      yield* reader.read(data)
      if (reader.progress === 'done') break
    }
  } catch (error) {
    failure = error
  }
  yield* reader.end()
  // After the answer is whole, it does not matter how the connection ends.
  if (reader.progress === 'open') throw failure ?? errors.cut()
}
