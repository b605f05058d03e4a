import type { ToolApproval } from '../channel.ts'
import { type BlockChunkerOptions, blocksOf } from '../cutting/block-chunker.ts'
import { type Block, ownText } from '../cutting/blocks.ts'

/** One message to a channel, with what is known about where it belongs in the answer. */
export interface ReplyPayload extends Partial<Block> {
  /** Addresses or ids of files. */
  readonly media?: readonly string[] | undefined
  readonly replyTo?: string | undefined
  /** A notice such as "calling a tool". It is sent in its place, but it is no part of the answer. */
  readonly isStatus?: boolean | undefined
  /** A tool call that waits for a person, or what has become of it; it is no part of the answer either. */
  readonly approval?: ToolApproval | undefined
  /** Of which of the run's `assistantTexts` this is a piece. */
  readonly messageIndex?: number | undefined
  /** Tells payloads with the same content apart. Without it, the same content is the same payload. */
  readonly id?: string | undefined
}

export interface FinalPayloadsOptions {
  readonly assistantTexts: readonly string[]
  readonly replyTo?: string | undefined
  readonly pipeline?: {
    hasSentPayload(payload: ReplyPayload): boolean
    unsentOf(payload: ReplyPayload): ReplyPayload | undefined
    unsentPayloads(): readonly ReplyPayload[]
  }
  /** What was sent block by block without a pipeline. */
  readonly directlySentBlockKeys?: { unsentOf(payload: ReplyPayload): ReplyPayload | undefined }
}

/**
 * What is left to send when a run has ended, and the only place where that is decided. The text is that of
 * `assistantTexts` and nothing else. Two texts that say the same are one. Of each text goes out what the channel has
 * not confirmed. Media that waited in the pipeline and never went out follow. A text may be longer than a channel
 * takes: see `cutPayload`.
 */
export function finalPayloads(options: FinalPayloadsOptions): ReplyPayload[] {
  const { assistantTexts, replyTo, pipeline, directlySentBlockKeys } = options
  const sent = pipeline ?? directlySentBlockKeys
  const finals = assistantTexts.map((text, messageIndex): ReplyPayload => ({ text, messageIndex, replyTo }))
  const texts = withoutRepetitions(finals.filter(hasContent))
    .filter(final => pipeline?.hasSentPayload(final) !== true)
    .flatMap(final => (sent === undefined ? final : (sent.unsentOf(final) ?? [])))
  const media = pipeline?.unsentPayloads().filter(hasMedia).map(withoutMessageText) ?? []
  return [...texts, ...withoutRepetitions(media)]
}

/**
 * A payload as one or more, none with a text longer than a channel takes; together they cover the same. `after`: the
 * text that it follows, if it is not known by the fence that it opens again.
 */
export function cutPayload(
  payload: ReplyPayload,
  options: BlockChunkerOptions,
  { after = payload.reopening } = {},
): ReplyPayload[] {
  const { text = '', before = '', reopening = '', closing = '', id, media, ...rest } = payload
  const blocks = blocksOf(ownText({ text, reopening, closing }), options, { after })
  const texts = blocks.map((block, index): ReplyPayload => {
    const own = index === 0 ? { ...block, before: before + block.before } : block
    return { ...rest, ...own, id: id === undefined ? undefined : `${id}.${index}` }
  })
  return hasMedia(payload) ? [...texts, { ...rest, id, media }] : texts
}

/** Two payloads with the same key say the same to the same message. */
export function payloadKey({ text = '', media = [], replyTo }: ReplyPayload): string {
  return JSON.stringify([text.trim().replaceAll(/\s+/g, ' '), media, replyTo ?? null])
}

/** The same in two messages of one run is not the same. */
export function keyInMessage(payload: ReplyPayload): string {
  return `${payload.messageIndex ?? 'none'} ${payloadKey(payload)}`
}

/** Whether there is anything to send. */
export function hasContent(payload: ReplyPayload): boolean {
  return hasMedia(payload) || /\S/.test(payload.text ?? '')
}

export function hasMedia({ media = [] }: ReplyPayload): boolean {
  return media.length > 0
}

/** Of payloads that say the same, the first. */
function withoutRepetitions(payloads: readonly ReplyPayload[]): ReplyPayload[] {
  const seen = new Set<string>()
  return payloads.filter(payload => {
    const key = payloadKey(payload)
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

// The text of a message stands in `assistantTexts`; what belongs to no message goes along with its media.
function withoutMessageText(payload: ReplyPayload): ReplyPayload {
  const { media, replyTo, messageIndex, id } = payload
  return messageIndex === undefined ? payload : { media, replyTo, messageIndex, id }
}
