import type { OutboxSender } from './outbox-sender.ts'
import { hasMedia, type ReplyPayload } from './payloads.ts'
import { type StartTimer, startTimer } from './start-timer.ts'
import { untilAborted } from './until-aborted.ts'

export interface EditingSinkOptions {
  readonly sender: OutboxSender
  /** The index of a message of an earlier process that may not be complete. */
  readonly open: number | undefined
  /** How often a message is edited at most. */
  readonly intervalMs: number
  readonly signal: AbortSignal
  readonly report: (error: unknown, what: string) => void
  readonly startTimer?: StartTimer
}

/**
 * Shows an answer as messages that grow: the block that is being written is sent as soon as it has a word, and edited
 * until it is complete. Edits can be repeated, so after a crash the last message is simply edited again.
 */
export class EditingSink {
  readonly #options: EditingSinkOptions
  readonly #complete: ReplyPayload[] = []
  #partial: ReplyPayload | undefined
  /** The message that is being written. What it says is not known when an earlier process wrote it. */
  #open: { readonly index: number; readonly text: string | undefined } | undefined
  #working: Promise<void> | undefined
  /** Why it does not go on: the store, or an end of all. */
  #failure: { readonly error: unknown } | undefined
  #endPause: () => void = () => {}

  constructor(options: EditingSinkOptions) {
    this.#options = options
    if (options.open !== undefined) this.#open = { index: options.open, text: undefined }
  }

  enqueue(payload: ReplyPayload): void {
    this.#partial = undefined
    this.#complete.push(payload)
    this.#endPause()
    this.#work()
  }

  /** Shows the block that is being written, as it is now. What is overtaken by something newer is left out. */
  show(partial: ReplyPayload): void {
    this.#partial = partial
    this.#work()
  }

  async flush(): Promise<void> {
    this.#endPause()
    await this.#working
    if (this.#failure !== undefined) throw this.#failure.error
  }

  stop(): Promise<void> {
    return this.flush()
  }

  #work(): void {
    if (this.#failure !== undefined) return
    this.#working ??= this.#showAll().catch(error => {
      this.#failure = { error }
      this.#working = undefined
    })
  }

  async #showAll(): Promise<void> {
    // Not in the same turn: what is taken together is shown together.
    await Promise.resolve()
    for (;;) {
      const next = this.#complete.shift()
      const partial = this.#partial
      if (next !== undefined) await this.#finish(next)
      else if (partial === undefined) {
        // In the same turn as the look: what is taken from now on is not overlooked.
        this.#working = undefined
        return
      } else {
        this.#partial = undefined
        await this.#write(partial)
        await this.#pause()
      }
    }
  }

  async #finish(payload: ReplyPayload): Promise<void> {
    const { sender, report } = this.#options
    if (payload.isStatus === true)
      return sender.notify(payload).catch(error => report(error, 'a notice was not taken'))
    if (hasMedia(payload)) {
      // Whatever is written next comes behind it.
      this.#open = undefined
      await sender.keep(payload)
      return sender.sendPending()
    }
    const index = await this.#write(payload)
    // Only now does the outbox say how far the answer has got.
    await sender.rewrite(index, payload)
    this.#open = undefined
  }

  /** Shows a block in the message that is being written, or in a new one; answers its index. */
  async #write(payload: ReplyPayload): Promise<number> {
    const { sender } = this.#options
    const { text = '' } = payload
    const { index, text: shown } = this.#open ?? { index: await sender.keep(payload), text }
    this.#open = { index, text: shown }
    await sender.sendPending()
    if (shown !== text) await sender.edit(index, text)
    this.#open = { index, text }
    return index
  }

  async #pause(): Promise<void> {
    const { intervalMs, signal, startTimer: start = startTimer } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, intervalMs)
    this.#endPause = resolve
    if (this.#complete.length > 0) resolve()
    await untilAborted(promise, signal).finally(stopTimer)
  }
}
