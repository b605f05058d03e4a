import type { BlockSink, Notice } from './block-sink.ts'
import type { Post } from './post.ts'
import type { RunOutbox } from './run-outbox.ts'
import { sendPending, type TryOptions, tryOnce, tryUntilTaken } from './send-posts.ts'

export interface GrowingMessagesOptions extends TryOptions {
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
