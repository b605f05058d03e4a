import { retry, untilAborted } from '@throughline/protocol/internal'
import { ChannelError } from '../ports/channel.ts'
import { runTimer, type StartTimer, startTimer } from '../ports/timers.ts'
import type { BlockSink, Notice, Post } from './post.ts'
import type { RunOutbox } from './run-outbox.ts'

/** How often and how long something is tried. */
export interface TryOptions {
  readonly signal: AbortSignal
  readonly report: (error: unknown, what: string) => void
  /** How long one attempt may take, in milliseconds: 15,000. */
  readonly timeoutMs?: number | undefined
  /** How long to try, in milliseconds: an hour. */
  readonly giveUpMs?: number | undefined
  readonly startTimer?: StartTimer | undefined
  readonly now?: (() => number) | undefined
}

export interface LivePostsOptions extends TryOptions {
  readonly outbox: RunOutbox
  /** How long to wait before each message but the first, in milliseconds. */
  readonly pauseMs?: ((text: string) => number) | undefined
}

/**
 * One message per block, while the answer is being written. Each is tried once. After one that failed no other block is
 * sent, so nothing arrives out of order; all of them are sent at the answer's end. When the channel did not respond in
 * time, notices are not sent either.
 */
export class LivePosts implements BlockSink {
  readonly #options: LivePostsOptions
  #hasBegun = false
  #hasFailed = false
  #isSilent = false

  constructor(options: LivePostsOptions) {
    this.#options = options
  }

  /** Whether the channel did not take a block. No other block is sent then. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  async send(post: Post): Promise<void> {
    if (this.#hasFailed || this.#isSilent) return
    await this.#pauseBefore(post.text)
    // Posts that an earlier process has left go first. If one of them fails, the new post is not saved yet.
    if (await this.#trySendingAll()) {
      await this.#options.outbox.keep(post)
      await this.#trySendingAll()
    }
  }

  async notify(notice: Notice): Promise<void> {
    if (this.#isSilent) return
    await this.#pauseBefore(notice.text)
    const { outbox } = this.#options
    await this.#attempt(signal => outbox.notify(notice, signal))
  }

  async #trySendingAll(): Promise<boolean> {
    const { outbox } = this.#options
    const isTaken = await this.#attempt(async signal => {
      for (const index of outbox.pending()) await outbox.send(index, signal)
    })
    this.#hasFailed = !isTaken
    return isTaken
  }

  async #attempt(attempt: Attempt): Promise<boolean> {
    const { signal, report } = this.#options
    try {
      await tryOnce(attempt, this.#options)
      return true
    } catch (error) {
      signal.throwIfAborted()
      this.#isSilent ||= error instanceof SilentChannelError
      report(error, 'a message was not taken by its channel; blocks are tried again at the end of the answer')
      return false
    }
  }

  async #pauseBefore(text = ''): Promise<void> {
    const { pauseMs = () => 0 } = this.#options
    const ms = this.#hasBegun ? pauseMs(text) : 0
    this.#hasBegun = true
    if (ms > 0) await pause(ms, this.#options)
  }
}

/** Sends everything that is pending, in order. Tries each post until the channel has taken it or will never take it. */
export async function sendPending(outbox: RunOutbox, options: TryOptions): Promise<void> {
  for (const index of outbox.pending()) {
    const isTaken = await tryUntilTaken(signal => outbox.send(index, signal), 'a block', options)
    if (!isTaken) await outbox.giveUp(index)
  }
}

/** Sends or changes a message, until the signal aborts. Throws a `ChannelError` when the channel did not take it. */
export type Attempt = (signal: AbortSignal) => Promise<unknown>

/** The channel did not respond in time. */
class SilentChannelError extends ChannelError {}

/**
 * Tries until the channel has taken something. Returns false when the channel refused it, or when it was tried for too
 * long. Waits longer after each failure, and at least as long as the channel asks for. Errors that do not come from the
 * channel are thrown: another attempt would only hide them.
 */
export async function tryUntilTaken(attempt: Attempt, what: string, options: TryOptions): Promise<boolean> {
  const { report, signal, giveUpMs = 3_600_000, now = () => performance.now() } = options
  const begunAt = now()
  const isTaken = await retry(() => tryOnce(attempt, options).then(() => true), {
    firstMs: 1_000,
    maxMs: 60_000,
    onFailure(error, delayMs) {
      signal.throwIfAborted()
      if (!(error instanceof ChannelError)) throw error
      const leftMs = begunAt + giveUpMs - now()
      if (error.code === 'refused' || leftMs <= 0) {
        report(error, `${what} was not taken by its channel and is given up`)
        return undefined
      }
      report(error, `${what} was not taken by its channel and is tried again`)
      return Math.min(Math.max(delayMs, error.retryAfterMs ?? 0), leftMs)
    },
    pause: ms => pause(ms, options),
  })
  return isTaken === true
}

/** Makes one attempt. Throws a `SilentChannelError` when it takes longer than `timeoutMs`. */
export async function tryOnce(attempt: Attempt, options: TryOptions): Promise<void> {
  const { signal, timeoutMs = 15_000, startTimer: start = startTimer } = options
  const late = new AbortController()
  const stopTimer = start(
    () =>
      late.abort(
        new SilentChannelError('unavailable', `The channel did not respond within ${timeoutMs} ms.`),
      ),
    timeoutMs,
  )
  const either = AbortSignal.any([signal, late.signal])
  try {
    await untilAborted(attempt(either), either)
  } finally {
    stopTimer()
  }
}

async function pause(ms: number, { signal, startTimer: start = startTimer }: TryOptions): Promise<void> {
  const { passed, cancel } = runTimer(ms, start)
  await untilAborted(passed, signal).finally(cancel)
}

interface GrowingMessagesOptions extends TryOptions {
  readonly outbox: RunOutbox
  /** The index of a message of an earlier process that may not be complete. */
  readonly open: number | undefined
}

/**
 * Messages that grow: a block is sent as soon as it has a word, and edited until it is complete. Edits are idempotent,
 * so after a crash the last message is simply edited again.
 */
export class GrowingMessages implements BlockSink {
  readonly #options: GrowingMessagesOptions
  /** The message that is not complete. Its text is not known when an earlier process wrote it. */
  #open: { readonly index: number; readonly text: string | undefined } | undefined

  constructor(options: GrowingMessagesOptions) {
    this.#options = options
    if (options.open !== undefined) this.#open = { index: options.open, text: undefined }
  }

  async send(post: Post): Promise<void> {
    const { outbox } = this.#options
    if (post.media !== undefined) {
      // What is written next must stand below the file, so it needs a new message.
      this.#open = undefined
      await outbox.keep(post)
      return sendPending(outbox, this.#options)
    }
    const index = await this.show(post)
    // The outbox tells how far the answer has got. So it is told only about complete blocks.
    await outbox.rewrite(index, post)
    this.#open = undefined
  }

  async notify(notice: Notice): Promise<void> {
    const { outbox, report } = this.#options
    await tryOnce(signal => outbox.notify(notice, signal), this.#options).catch(error =>
      report(error, 'a notice was not taken by its channel'),
    )
  }

  /** Shows a block in the open message, or in a new one. Returns the index of that message in the outbox. */
  async show(block: Post): Promise<number> {
    const { outbox } = this.#options
    const { text = '' } = block
    const { index, text: shown } = this.#open ?? { index: await outbox.keep(block), text }
    this.#open = { index, text: shown }
    await sendPending(outbox, this.#options)
    if (shown !== text)
      await tryUntilTaken(signal => outbox.edit(index, text, signal), 'an edit', this.#options)
    this.#open = { index, text }
    return index
  }
}
