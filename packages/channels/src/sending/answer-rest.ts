import type { BlockChunkerOptions } from '../cutting/block-chunker.ts'
import type { OutboxSender } from './outbox-sender.ts'
import { cutPayload, finalPayloads, type ReplyPayload } from './payloads.ts'
import { reachOf } from './text-place.ts'

/** What of an answer is not in the outbox yet: the end of its text, and files. */
export class AnswerRest {
  readonly #sender: OutboxSender
  readonly #limits: BlockChunkerOptions
  /** The answer's files by address, and where in its text they stand. */
  readonly #files = new Map<string, number>()

  constructor(sender: OutboxSender, limits: BlockChunkerOptions) {
    this.#sender = sender
    this.#limits = limits
  }

  /** Notes a file and its place in the text; false when it was noted before. */
  addFile(url: string, place: number): boolean {
    const isNew = !this.#files.has(url)
    if (isNew) this.#files.set(url, place)
    return isNew
  }

  isKept(url: string): boolean {
    return this.#sender.payloads.some(({ media = [] }) => media.includes(url))
  }

  /**
   * Writes down what is left up to a place in the text, when everything in the outbox counts as sent. Files are
   * written down with the text before them in any case.
   */
  async keep(assistantTexts: readonly string[], upTo = Number.POSITIVE_INFINITY): Promise<void> {
    for (const [url, place] of this.#files) {
      if (this.isKept(url)) continue
      await this.#keepText(assistantTexts, place)
      await this.#sender.keep({ media: [url] })
    }
    await this.#keepText(assistantTexts, upTo)
  }

  async #keepText(texts: readonly string[], upTo: number): Promise<void> {
    const assistantTexts = texts.map(text => text.slice(0, upTo))
    const reach = reachOf(this.#sender.payloads)
    const unsentOf = (payload: ReplyPayload) => ({ ...payload, text: payload.text?.slice(reach) ?? '' })
    const after = assistantTexts.join('').slice(0, reach)
    for (const final of finalPayloads({ assistantTexts, directlySentBlockKeys: { unsentOf } }))
      for (const payload of cutPayload(final, this.#limits, { after })) await this.#sender.keep(payload)
  }
}
