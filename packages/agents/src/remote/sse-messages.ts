import { createParser, type EventSourceMessage } from 'eventsource-parser'
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
