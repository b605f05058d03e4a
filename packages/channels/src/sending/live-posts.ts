import { untilAborted } from '@throughline/protocol/internal'
import type { BlockSink, Notice } from './block-sink.ts'
import { deadlineIn } from './deadline.ts'
import type { Post } from './post.ts'
import type { RunOutbox } from './run-outbox.ts'
import { startTimer } from './start-timer.ts'
import { SilentChannelError, type TryOptions, tryOnce } from './try-until-taken.ts'

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

  async send(post: Post): Promise<void> {
    if (this.#hasFailed || this.#isSilent) return
    await this.#pauseBefore(post.text)
    // First what an earlier process has left. If that fails, the new post must not be saved before its turn.
    if (await this.#trySendingAll()) {
      await this.#options.outbox.keep(post)
      await this.#trySendingAll()
    }
  }

  async notify(notice: Notice): Promise<void> {
    if (this.#isSilent) return
    await this.#pauseBefore(notice.text)
    await this.#isTaken(this.#options.outbox.notify(notice))
  }

  async #trySendingAll(): Promise<boolean> {
    const { outbox } = this.#options
    const isTaken = await this.#isTaken(tryOnce(signal => outbox.sendOnce(signal), this.#options))
    this.#hasFailed = !isTaken
    return isTaken
  }

  async #isTaken(attempt: Promise<void>): Promise<boolean> {
    const { signal, report } = this.#options
    try {
      await attempt
      return true
    } catch (error) {
      signal.throwIfAborted()
      this.#isSilent ||= error instanceof SilentChannelError
      report(error, 'a message was not taken by its channel; blocks are tried again at the end of the answer')
      return false
    }
  }

  async #pauseBefore(text = ''): Promise<void> {
    const { pauseMs = () => 0, signal, startTimer: start = startTimer } = this.#options
    const ms = this.#hasBegun ? pauseMs(text) : 0
    this.#hasBegun = true
    if (ms <= 0) return
    const { passed, cancel } = deadlineIn(ms, start)
    await untilAborted(passed, signal).finally(cancel)
  }
}
