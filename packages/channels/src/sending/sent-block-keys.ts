import { blocksOf } from '../cutting/block-chunker.ts'
import { type Block, ownText } from '../cutting/blocks.ts'
import { isWhitespace } from '../cutting/whitespace.ts'
import { hasContent, keyInMessage, type ReplyPayload } from './payloads.ts'

/**
 * What a channel has confirmed. Payloads are compared by what they say, not by identity, and the pieces of a
 * message count together: a final text is sent when its blocks are, however they were cut. Whitespace does not
 * count, for it is what gets lost between two blocks.
 */
export class SentBlockKeys {
  readonly #sent: ReplyPayload[] = []
  readonly #keys = new Set<string>()
  readonly #media = new Set<string>()

  get isEmpty(): boolean {
    return this.#sent.length === 0
  }

  /** Notices are not remembered: a final text that happens to say the same is no repetition. */
  add(payload: ReplyPayload): void {
    if (payload.isStatus || !hasContent(payload)) return
    this.#sent.push(payload)
    this.#keys.add(keyInMessage(payload))
    for (const medium of payload.media ?? []) this.#media.add(medium)
  }

  has(payload: ReplyPayload): boolean {
    return this.unsentOf(payload) === undefined
  }

  /** What of a payload was not sent: all of it, the end of its text and some of its media, or nothing. */
  unsentOf(payload: ReplyPayload): ReplyPayload | undefined {
    if (this.#keys.has(keyInMessage(payload))) return undefined
    const media = payload.media?.filter(medium => !this.#media.has(medium))
    const offset = this.#sentLength(payload)
    const block = offset === 0 ? {} : blockFrom(payload.text ?? '', offset)
    const unsent = { ...payload, ...(block ?? { text: '' }), media }
    return hasContent(unsent) ? unsent : undefined
  }

  #sentLength({ text = '', messageIndex }: ReplyPayload): number {
    if (messageIndex !== undefined) {
      return sentLength(
        text,
        this.#sent.filter(sent => sent.messageIndex === messageIndex),
      )
    }
    // Without a message to belong to, only a text that was sent as a whole is known to be the same.
    const isSent = this.#sent.some(
      (_, start) => sentLength(text, this.#sent.slice(start)) >= text.trimEnd().length,
    )
    return isSent ? text.length : 0
  }
}

/** How much of a text was sent: the pieces from the first on that follow each other in it. */
function sentLength(text: string, sent: readonly ReplyPayload[]): number {
  let offset = 0
  for (const { before = '', text: piece = '', reopening = '', closing = '' } of sent) {
    const own = ownText({ text: piece, reopening, closing })
    // What stands before a piece was not sent, but it is passed over: it may be the end of a fence.
    const end = endOfPiece(text, offset, before + own) ?? endOfPiece(text, offset, own)
    if (end === undefined) return offset
    offset = end
  }
  return offset
}

/** Where a piece ends that begins at `offset`, if there it is, but for whitespace. */
function endOfPiece(text: string, offset: number, piece: string): number | undefined {
  let end = offset
  for (let index = 0; index < piece.length; index += 1) {
    const unit = piece.charCodeAt(index)
    if (isWhitespace(unit)) continue
    while (isWhitespace(text.charCodeAt(end))) end += 1
    if (text.charCodeAt(end) !== unit) return undefined
    end += 1
  }
  return end
}

/** The end of a text as a block of its own: a fence in which it begins is opened again. */
function blockFrom(text: string, offset: number): Block | undefined {
  const maxChars = text.length * 4 + 100
  const after = text.slice(0, offset)
  const [block] = blocksOf(text.slice(offset), { minChars: maxChars, maxChars }, { after })
  return block
}
