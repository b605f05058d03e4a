import { type ChatState, chatFrom, type Entry, fold, type Position } from '@throughline/protocol'
import { createDeferred, type Deferred, pause } from '@throughline/protocol/internal'
import { backoffMs } from '../http/backoff.ts'
import { asChatError, type ChatError } from '../http/chat-error.ts'
import type { ChatApi, LoadedChat } from './chat-api.ts'
import { type ReceiveOptions, receive } from './receive.ts'
import type { Waker } from './waker.ts'

/** What following a chat needs. */
export interface FollowChatOptions extends Omit<ReceiveOptions, 'after'>, Pick<ChatApi, 'load'> {
  readonly waker: Waker
  /** The chat does not exist yet. Nothing is loaded until its first message is sent. */
  readonly isNew?: boolean | undefined
  readonly beginning: Beginning
}

/** How the follower of a chat that does not exist yet learns where its log begins. */
export interface Beginning {
  /**
   * Resolves with the start position when our own message was taken by the server. Resolves with `undefined` when it
   * waits in a queue there, or when the attempt failed: the server may have it all the same.
   */
  begun: Deferred<Position | undefined>
  /** Whether our own message is being sent now. Then the follower waits for that, and does not look for others. */
  isSending?: boolean
}

/** What has changed in a chat. */
export interface Followed {
  readonly chat?: ChatState
  readonly isLoaded?: true
  readonly connection?: 'open' | 'lost'
  /** Why the chat could not be loaded. The next attempt follows. */
  readonly error?: ChatError | undefined
  /** The new entries. They are folded into `chat` already. */
  readonly entries?: readonly Entry[]
}

/**
 * Loads a chat and follows its log, over as many connections as it takes. Loads it again when the server says that the
 * position is not known any more (a reset). Ends when the signal aborts. Throws a `ChatError` that no retry can mend.
 */
export async function* followChat(options: FollowChatOptions): AsyncGenerator<Followed, void, undefined> {
  const { signal, beginning } = options
  let { isNew } = options
  for (let resets = 0, looks = 0; !signal.aborted; ) {
    // The first reset is obeyed at once. When one reset follows another, there is a pause before each.
    if (resets > 1) await pause(backoffMs(resets - 2, options.backoff), wakeable(options))
    // An earlier send may have created the chat already. Discard the start position it got: `load` will find the chat.
    if (!isNew) beginning.begun = createDeferred()
    const loaded = isNew ? undefined : yield* load(options)
    if (signal.aborted) return
    // Replaces the messages from before the reset.
    let chat = chatFrom(loaded?.messages ?? [], loaded?.position.seq ?? 0)
    yield { chat, isLoaded: true, error: undefined }
    // A chat that does not exist yet is created by our first message, or by somebody else's. Wait for ours, and
    // meanwhile load again now and then, in case somebody else was first.
    const begun = beginning.begun.promise
    const look = async () => {
      await pause(backoffMs(looks, { firstMs: 2_000, ...options.backoff }), wakeable(options))
      return beginning.isSending ? begun : undefined
    }
    const after = loaded?.position ?? (await (isNew ? begun : Promise.race([begun, look()])))
    isNew = false
    looks += 1
    // Load again when there is no start position yet. Also when our message is not the first of its log: somebody else
    // created the chat, and the log from here on does not have their messages.
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
      // The chat was deleted while we were not connected. Loading it again shows what it is now: empty.
      if (asChatError(error).status !== 404) throw error
    }
    resets += 1
  }
}

/** Loads the chat, with as many attempts as it takes. Yields the error of each attempt that failed. */
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

/** Returns a signal that ends a pause: it aborts when following ends, and when the waker wakes. */
function wakeable({ signal, waker }: FollowChatOptions): AbortSignal {
  return AbortSignal.any([signal, waker.signal])
}
