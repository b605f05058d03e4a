import type { OutboxItem } from './outbox.ts'
import { bodyOf, payloadFrom } from './outbox-body.ts'
import type { OutboxSender } from './outbox-sender.ts'
import { hasMedia, type ReplyPayload } from './payloads.ts'
import { type StartTimer, startTimer } from './start-timer.ts'

export interface EditingSinkOptions {
  readonly sender: OutboxSender
  readonly keep: (payload: ReplyPayload) => Promise<OutboxItem>
  /** Sends what is no text of the answer: media, notices. */
  readonly sendAlone: (payload: ReplyPayload) => Promise<void>
  /** A message of an earlier process that may not be complete. */
  readonly open: OutboxItem | undefined
  /** How often a message is edited at most. */
  readonly intervalMs: number
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
  #open: { readonly index: number; readonly text: string } | undefined
  #working: Promise<void> | undefined
  /** Why it does not go on: the store, or an end of all. */
  #failure: unknown
  #endPause: () => void = () => {}

  constructor(options: EditingSinkOptions) {
    this.#options = options
    const { open } = options
    this.#open = open && { index: open.index, text: payloadFrom(open.body).text ?? '' }
  }

  /** Takes a block that will not change any more, or what goes between two of them. */
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

  /** Resolves when everything that was taken is shown. */
  async flush(): Promise<void> {
    this.#endPause()
    await this.#working
    if (this.#failure !== undefined) throw this.#failure
  }

  stop(): Promise<void> {
    return this.flush()
  }

  /** What a channel could not be made to take was given up in its place. */
  unsentPayloads(): readonly ReplyPayload[] {
    return []
  }

  #work(): void {
    if (this.#failure !== undefined) return
    this.#working ??= this.#showAll()
      .catch(error => {
        this.#failure = error
      })
      .finally(() => {
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
      else if (partial === undefined) return
      else {
        this.#partial = undefined
        await this.#write(partial)
        await this.#pause()
      }
    }
  }

  async #finish(payload: ReplyPayload): Promise<void> {
    if (payload.isStatus === true || hasMedia(payload)) return this.#options.sendAlone(payload)
    await this.#write(payload)
    // Only now does the outbox say how far the answer has got.
    if (this.#open !== undefined) await this.#options.sender.rewrite(this.#open.index, bodyOf(payload))
    this.#open = undefined
  }

  async #write(payload: ReplyPayload): Promise<void> {
    const { sender, keep } = this.#options
    const text = payload.text ?? ''
    if (this.#open === undefined) this.#open = { index: (await keep(payload)).index, text }
    await sender.sendPending()
    if (this.#open.text === text) return
    await sender.edit(this.#open.index, text)
    this.#open = { index: this.#open.index, text }
  }

  async #pause(): Promise<void> {
    const { intervalMs, startTimer: start = startTimer } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, intervalMs)
    this.#endPause = () => {
      stopTimer()
      resolve()
    }
    if (this.#complete.length > 0) this.#endPause()
    await promise
  }
}
