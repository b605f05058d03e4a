import type { Position } from '@throughline/protocol/position'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import type { ChatApi, LoadedChat } from './chat-api.ts'
import { asChatError, type ChatError } from './chat-error.ts'
import { type Received, receive } from './receive.ts'
import type { Waker } from './waker.ts'

export interface FollowOptions {
  readonly api: ChatApi
  readonly signal: AbortSignal
  readonly waker: Waker
  /** The chat was made up just now: there is nothing to load until its first message is sent. */
  readonly isNew: boolean
  readonly beginning: Beginning
  readonly stallMs?: number | undefined
  readonly backoff?: BackoffOptions | undefined
}

/** Where a chat that was not there begins: its first message tells. */
export class Beginning {
  #begun = Promise.withResolvers<Position>()

  get position(): Promise<Position> {
    return this.#begun.promise
  }

  begin(position: Position): void {
    this.#begun.resolve(position)
  }

  /** What was sent before has begun a chat that loading finds, or one that is gone by now. */
  forget(): void {
    this.#begun = Promise.withResolvers()
  }
}

export type Followed =
  /** The chat as it stands; `undefined` when there is none yet. Takes the place of what was known. */
  | { readonly type: 'loaded'; readonly chat: LoadedChat | undefined }
  | { readonly type: 'load-failed'; readonly error: ChatError }
  | Exclude<Received, { type: 'reset' }>

/**
 * Loads a chat and follows its log, over as many connections and resets as it takes. Ends when the signal aborts,
 * or by throwing what no retry can mend.
 */
export async function* followChat(options: FollowOptions): AsyncGenerator<Followed, void, undefined> {
  const { api, signal, waker, stallMs, backoff } = options
  const { logUrl: url, request } = api
  for (let resets = 0; !signal.aborted; resets += 1) {
    // The first reset is obeyed at once. A server that answers with nothing else is not hurried.
    if (resets > 1) await pause(backoffMs(resets - 2, backoff), AbortSignal.any([signal, waker.signal]))
    const after = yield* begin(options, resets === 0 && options.isNew)
    if (after === undefined) return
    try {
      for await (const received of receive({ url, after, signal, request, waker, stallMs, backoff })) {
        if (received.type === 'reset') break
        if (received.type === 'entries') resets = 0
        yield received
      }
    } catch (error) {
      // The chat was removed while nobody could tell us. It is loaded as what it is now: empty.
      if (asChatError(error).status !== 404) throw error
    }
  }
}

/** Loads the chat, and answers from where to follow it. A chat that is not there yet begins with its first message. */
async function* begin(
  options: FollowOptions,
  isNew: boolean,
): AsyncGenerator<Followed, Position | undefined, undefined> {
  const { signal, beginning } = options
  for (let isEmpty = isNew; !signal.aborted; isEmpty = false) {
    if (!isEmpty) beginning.forget()
    const chat = isEmpty ? undefined : yield* load(options)
    if (signal.aborted) return undefined
    yield { type: 'loaded', chat }
    if (chat !== undefined) return chat.position
    const position = await beginning.position
    // Somebody else has begun it otherwise: the log would not bring what was said before.
    if (position.seq === 0) return position
  }
  return undefined
}

async function* load({
  api,
  signal,
  waker,
  backoff,
}: FollowOptions): AsyncGenerator<Followed, LoadedChat | undefined, undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await api.load(signal)
    } catch (error) {
      if (signal.aborted) return undefined
      const failure = asChatError(error)
      if (!failure.isTemporary) throw failure
      yield { type: 'load-failed', error: failure }
      await pause(backoffMs(attempt, backoff), AbortSignal.any([signal, waker.signal]))
    }
  }
}
