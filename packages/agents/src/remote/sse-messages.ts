import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { FormReader, RemoteEvent } from './form-reader.ts'
import type { ServiceErrors } from './service-errors.ts'

/** One server-sent event. */
export type SseMessage = Pick<EventSourceMessage, 'id' | 'data'>

/** How much of one SSE event is kept in memory, in characters. A picture in a data URL fits. */
const maxEventChars = 32_000_000

/**
 * Yields the SSE events in a stream of bytes. The bytes may be cut anywhere, also inside a character. An event that is not
 * whole at the end is left out. Throws a `RemoteServiceError` when an event is too large.
 */
export async function* sseMessages(
  bytes: AsyncIterable<Uint8Array>,
  errors: ServiceErrors,
): AsyncGenerator<SseMessage, void, undefined> {
  let messages: SseMessage[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: message => messages.push(message),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded'
    },
  })
  const decoder = new TextDecoder()
  for await (const piece of bytes) {
    messages = []
    parser.feed(decoder.decode(piece, { stream: true }))
    yield* messages
    if (isTooLarge) throw errors.unreadable('an event is too large')
  }
}

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
