import { type ChatState, chatFrom } from '@throughline/protocol/chat-state'
import type { Entry } from '@throughline/protocol/entry'
import { fold } from '@throughline/protocol/fold'
import type { Position } from '@throughline/protocol/position'
import { backoffMs, pause } from './backoff.ts'
import type { ChatApi, LoadedChat } from './chat-api.ts'
import { asChatError, type ChatError } from './chat-error.ts'
import { type ReceiveOptions, receive } from './receive.ts'
import type { Waker } from './waker.ts'

export interface FollowChatOptions extends Omit<ReceiveOptions, 'after'>, Pick<ChatApi, 'load'> {
  readonly waker: Waker
  /** The chat was made up just now: there is nothing to load until its first message is sent. */
  readonly isNew?: boolean | undefined
  readonly beginning: Beginning
}

/** Where a chat that was not there begins: its first message tells. */
export interface Beginning {
  begun: PromiseWithResolvers<Position>
  /** Our own first message is on its way: nobody else's is waited for. */
  isAsked?: boolean
}

/** What has become known of a chat, as far as it has changed. */
export interface Followed {
  readonly chat?: ChatState
  readonly isLoaded?: true
  readonly connection?: 'open' | 'lost'
  /** Why the chat could not be loaded. */
  readonly error?: ChatError | undefined
  /** What the log has brought, which is in the chat now. */
  readonly entries?: readonly Entry[]
}

/**
 * Loads a chat and follows its log, over as many connections and resets as it takes. Ends when the signal aborts,
 * or by throwing what no retry can mend.
 */
export async function* followChat(options: FollowChatOptions): AsyncGenerator<Followed, void, undefined> {
  const { signal, beginning } = options
  let { isNew } = options
  for (let resets = 0, looks = 0; !signal.aborted; ) {
    // The first reset is obeyed at once. A server that answers with nothing else is not hurried.
    if (resets > 1) await pause(backoffMs(resets - 2, options.backoff), wakeable(options))
    // What was sent before has begun a chat that loading finds, or one that is gone by now.
    if (!isNew) beginning.begun = Promise.withResolvers()
    const loaded = isNew ? undefined : yield* load(options)
    if (signal.aborted) return
    // Takes the place of what was known.
    let chat = chatFrom(loaded?.messages ?? [], loaded?.position.seq ?? 0)
    yield { chat, isLoaded: true, error: undefined }
    // A chat that is not there yet begins with our first message, or with somebody else's: now and then we look.
    const begun = beginning.begun.promise
    const look = async () => {
      await pause(backoffMs(looks, { firstMs: 2_000, ...options.backoff }), wakeable(options))
      return beginning.isAsked ? begun : undefined
    }
    const after = loaded?.position ?? (await (isNew ? begun : Promise.race([begun, look()])))
    isNew = false
    looks += 1
    // When somebody else has begun it, the log does not bring what was said before.
    if (!after || (!loaded && after.seq > 0)) continue
    try {
      for await (const received of receive({ ...options, after })) {
        if (received.type === 'connected') yield { connection: 'open', error: undefined }
        if (received.type === 'disconnected') yield { connection: 'lost' }
        if (received.type === 'entries') {
          chat = received.entries.reduce(fold, chat)
          resets = 0
          yield { chat, entries: received.entries }
        }
      }
    } catch (error) {
      // The chat was removed while nobody could tell us. It is loaded as what it is now: empty.
      if (asChatError(error).status !== 404) throw error
    }
    resets += 1
  }
}

async function* load(
  options: FollowChatOptions,
): AsyncGenerator<Followed, LoadedChat | undefined, undefined> {
  const { signal } = options
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await options.load(signal)
    } catch (error) {
      if (signal.aborted) return undefined
      const failure = asChatError(error)
      if (!failure.isTemporary) throw failure
      yield { error: failure }
      await pause(backoffMs(attempt, options.backoff), wakeable(options))
    }
  }
}

/** Aborts when nobody follows any more, and when it is time to go on. */
function wakeable({ signal, waker }: FollowChatOptions): AbortSignal {
  return AbortSignal.any([signal, waker.signal])
}
