import { ChannelError, type Medium, type OutgoingMessage } from '../channel.ts'
import { blocksOf } from '../cutting/blocks-of.ts'
import { telegramMarkdown } from './telegram-markdown.ts'

/** In UTF-16 units, without the markup. */
export const maxTextChars = 4_096
const maxCaptionChars = 1_024
const maxPhotoBytes = 10_000_000
const maxDocumentBytes = 50_000_000

/** One message in Telegram. Its text is short enough even if it is sent with its markup. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'photo' | 'document'; readonly medium: Medium; readonly text: string }

/**
 * Returns the Telegram messages that a message becomes: mostly one. Throws a `ChannelError` if that is not possible.
 */
export function partsOf({ text, medium }: OutgoingMessage): readonly Part[] {
  const clean = wellFormed(text)
  if (medium === undefined) return textParts(clean)
  if (medium.bytes.length > maxDocumentBytes) {
    throw new ChannelError(
      'refused',
      `The file ${medium.fileName} has ${medium.bytes.length} bytes. Telegram takes ${maxDocumentBytes}.`,
    )
  }
  const type = isPhoto(medium) ? 'photo' : 'document'
  if (clean.trim() === '') return [{ type, medium, text: '' }]
  if (clean.length <= maxCaptionChars) return [{ type, medium, text: clean }]
  return [{ type, medium, text: '' }, ...textParts(clean)]
}

export interface FormattedText {
  readonly text: string
  readonly parse_mode?: 'MarkdownV2'
}

/**
 * Returns the text as it is sent. It is plain, with the markup in it, if Telegram would show nothing or would not
 * take it.
 */
export function formatted({ type, text }: Part): FormattedText {
  const { markdown, text: seen } = telegramMarkdown(text)
  const maxChars = type === 'text' ? maxTextChars : maxCaptionChars
  if (seen.trim() === '' || seen.length > maxChars) return { text }
  return { text: markdown, parse_mode: 'MarkdownV2' }
}

function textParts(text: string): Part[] {
  if (text.trim() === '')
    throw new ChannelError('refused', 'The message has no text. Telegram takes none without.')
  if (text.length <= maxTextChars) return [{ type: 'text', text }]
  const blocks = blocksOf(text, { minChars: 3_000, maxChars: maxTextChars })
  return blocks.map(block => ({ type: 'text', text: block.text }))
}

function isPhoto({ mediaType, bytes }: Medium): boolean {
  return /^image\/(jpeg|png|webp)\b/.test(mediaType) && bytes.length <= maxPhotoBytes
}

// Lone surrogates and NUL cannot be sent as UTF-8 text.
function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
