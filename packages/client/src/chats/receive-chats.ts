import { type ChatListEvent, isChatListEvent } from '@throughline/protocol'
import { parseJson, pause } from '@throughline/protocol/internal'
import { createParser } from 'eventsource-parser'
import type { ApiOptions } from '../chat/chat-api.ts'
import { Waker, wakeWithPage } from '../chat/waker.ts'
import { type BackoffOptions, backoffMs } from '../http/backoff.ts'
import { bodyPieces, watchStall } from '../http/body-pieces.ts'
import { asChatError, assertEvents, ChatError, errorFrom } from '../http/chat-error.ts'

/** The options of `receiveChats`. */
export interface ReceiveChatsOptions extends ApiOptions {
  /** Ends receiving. */
  readonly signal: AbortSignal
  /** How long to wait before each retry. */
  readonly backoff?: BackoffOptions | undefined
}

/**
 * Yields the list of the person's chats, and then every change of it, over as many connections as it takes. Every
 * connection begins with the whole list, so nothing has to be resumed. Ends when the signal aborts. Throws a `ChatError`
 * that no retry can mend, for example when the person has to sign in.
 */
export async function* receiveChats(
  options: ReceiveChatsOptions,
): AsyncGenerator<ChatListEvent, void, undefined> {
  const { signal } = options
  const waker = new Waker()
  wakeWithPage(waker, signal)
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      for await (const event of connection(options, waker)) {
        // This connection works. If it breaks, the backoff starts from the beginning.
        attempt = 0
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = asChatError(error)
      if (!failure.isTemporary) throw failure
    }
    await pause(backoffMs(attempt, options.backoff), AbortSignal.any([signal, waker.signal]))
  }
}

/** Receives over one connection. Throws when it cannot be made, falls silent, or sends what cannot be read. */
async function* connection(
  { url = '', headers, fetch = globalThis.fetch, stallMs, signal }: ReceiveChatsOptions,
  waker: Waker,
): AsyncGenerator<ChatListEvent, void, undefined> {
  const watch = watchStall(AbortSignal.any([signal, waker.signal]), stallMs)
  let events: ChatListEvent[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(eventFrom(data)) })
  try {
    const response = await fetch(`${url}/api/chats-stream`, {
      headers: { accept: 'text/event-stream', ...headers?.() },
      signal: watch.signal,
    })
    if (!response.ok || response.body === null) throw await errorFrom(response)
    assertEvents(response)
    const decoder = new TextDecoder()
    for await (const bytes of bodyPieces(response.body)) {
      watch.restart()
      waker.heard()
      events = []
      parser.feed(decoder.decode(bytes, { stream: true }))
      yield* events
    }
  } finally {
    watch.stop()
  }
}

function eventFrom(data: string): ChatListEvent {
  const value = parseJson(data)
  if (isChatListEvent(value)) return value
  throw new ChatError('broken-stream', 'The list of chats cannot be read: an event has another form.')
}
