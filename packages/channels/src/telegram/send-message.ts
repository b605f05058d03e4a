import { defined } from '@throughline/protocol/internal'
import { type Api, GrammyError, InputFile } from 'grammy'
import { blocksOf } from '../cutting/block-chunker.ts'
import { type Channel, ChannelError, type Medium, type OutgoingMessage } from '../ports/channel.ts'
import type { ApiSignal, TelegramBot } from './telegram-bot.ts'
import { telegramMarkdown } from './telegram-markdown.ts'
import { messageIdOf, readTarget, type TelegramTarget } from './telegram-target.ts'

/** In UTF-16 units, without the markup. */
export const maxTextChars = 4_096
const maxCaptionChars = 1_024
const maxPhotoBytes = 10_000_000
const maxDocumentBytes = 50_000_000

interface FormatOptions {
  readonly format: 'markdown' | 'plain'
}

/** How many partly sent messages are remembered. */
const maxUnfinished = 1_000

/** Sends messages. A long one is several messages in Telegram. If it fails halfway, the next attempt goes on there. */
export function messageSender(bot: TelegramBot, { format }: FormatOptions): Channel['send'] {
  const unfinished = new Map<string, readonly string[]>()
  return async ({ target, message, idempotencyKey, signal }) => {
    const to = readTarget(target)
    const parts = partsOf(message)
    const receipts = [...(unfinished.get(idempotencyKey) ?? [])]
    for (const part of parts.slice(receipts.length)) {
      const replyTo = receipts.length === 0 ? messageIdOf(message.replyTo) : undefined
      const form = { chatId: to.chatId, isMarkdown: format === 'markdown', isPhoto: part.type === 'photo' }
      const messageId = await bot.ask(signal, (api, apiSignal) =>
        withFallbacks(form, current => sendPart({ api, apiSignal, part, to, replyTo }, current)),
      )
      receipts.push(`${messageId}`)
      if (parts.length > 1) unfinished.set(idempotencyKey, [...receipts])
    }
    unfinished.delete(idempotencyKey)
    forgetOldest(unfinished)
    return receipts.at(-1) ?? ''
  }
}

interface PartRequest {
  readonly api: Api
  readonly apiSignal: ApiSignal
  readonly part: Part
  readonly to: TelegramTarget
  readonly replyTo: number | undefined
}

async function sendPart({ api, apiSignal, part, to, replyTo }: PartRequest, form: SendForm): Promise<number> {
  const { text, ...mode } = form.isMarkdown ? formatted(part) : { text: part.text }
  const options = { ...mode, ...targetOptions(to, replyTo) }
  if (part.type === 'text') {
    const sent = await api.sendMessage(form.chatId, text, { ...options, ...withoutPreview }, apiSignal)
    return sent.message_id
  }
  const captioned = text === '' ? options : { ...options, caption: text }
  const file = fileOf(part.medium)
  const sent = form.isPhoto
    ? await api.sendPhoto(form.chatId, file, captioned, apiSignal)
    : await api.sendDocument(form.chatId, file, captioned, apiSignal)
  return sent.message_id
}

/** Returns where in a chat a message goes: into its topic, and below the message that it is a reply to. */
export function targetOptions({ threadId }: TelegramTarget, replyTo: number | undefined) {
  return {
    ...defined({ message_thread_id: threadId }),
    ...(replyTo !== undefined && {
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    }),
  }
}

/** For a preview Telegram would load every address in a text. So data that an agent puts into an address could leak. */
export const withoutPreview = { link_preview_options: { is_disabled: true } } as const

/** One message in Telegram. Its text is short enough even if it is sent with its markup. */
type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'photo' | 'document'; readonly medium: Medium; readonly text: string }

/**
 * Returns the Telegram messages that a message becomes: mostly one. Throws a `ChannelError` if that is not possible.
 */
function partsOf({ text, medium }: OutgoingMessage): readonly Part[] {
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

interface FormattedText {
  readonly text: string
  readonly parse_mode?: 'MarkdownV2'
}

/**
 * Returns the text as it is sent. It is plain, with the markup in it, if Telegram would show nothing or would not
 * take it.
 */
function formatted({ type, text }: Part): FormattedText {
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

/** In which form a message goes to Telegram. */
interface SendForm {
  readonly chatId: number
  readonly isMarkdown: boolean
  readonly isPhoto: boolean
}

/** Tries one form after the other: Telegram may take a message in one form that it refuses in another. */
export async function withFallbacks<Result>(
  first: SendForm,
  attempt: (form: SendForm) => Promise<Result>,
): Promise<Result> {
  for (let form = first; ; ) {
    try {
      return await attempt(form)
    } catch (error) {
      const another = fallbackAfter(error, form)
      if (another === undefined) throw error
      form = another
    }
  }
}

function fallbackAfter(error: unknown, form: SendForm): SendForm | undefined {
  if (!(error instanceof GrammyError) || error.error_code !== 400) return undefined
  const { description, parameters } = error
  // A group that has become a supergroup has another id.
  const movedTo = parameters.migrate_to_chat_id
  if (movedTo !== undefined && movedTo !== form.chatId) return { ...form, chatId: movedTo }
  if (form.isMarkdown && description.includes("can't parse entities")) return { ...form, isMarkdown: false }
  // Telegram refuses photos that are very long or very large. As a file it takes them.
  if (form.isPhoto && /photo|image/i.test(description)) return { ...form, isPhoto: false }
  return undefined
}

// The name becomes part of a header, and grammY does not quote it.
function fileOf({ bytes, fileName }: Medium): InputFile {
  return new InputFile(bytes, fileName.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_') || 'file')
}

function forgetOldest(unfinished: Map<string, unknown>): void {
  const [oldest] = unfinished.keys()
  if (unfinished.size > maxUnfinished && oldest !== undefined) unfinished.delete(oldest)
}

/** Replaces the text of messages that were sent. */
export function messageEditor(bot: TelegramBot, { format }: FormatOptions): NonNullable<Channel['edit']> {
  return async ({ target, message, receipt, signal }) => {
    const { chatId } = readTarget(target)
    const messageId = messageIdOf(receipt)
    const [part, ...others] = partsOf({ text: message.text })
    if (messageId === undefined) {
      throw new ChannelError(
        'refused',
        `There is no message ${JSON.stringify(receipt.slice(0, 100))} to edit.`,
      )
    }
    if (part === undefined || others.length > 0) {
      throw new ChannelError('refused', `A message in Telegram has at most ${maxTextChars} characters.`)
    }
    const first = { chatId, isMarkdown: format === 'markdown', isPhoto: false }
    await bot.ask(signal, (api, apiSignal) =>
      withFallbacks(first, async form => {
        const { text, ...mode } = form.isMarkdown ? formatted(part) : { text: part.text }
        const options = { ...mode, ...withoutPreview }
        await api.editMessageText(form.chatId, messageId, text, options, apiSignal).catch(ignoreUnchanged)
      }),
    )
  }
}

/** Ignores the error with which Telegram refuses an edit that changes nothing. */
export function ignoreUnchanged(error: unknown): void {
  if (!(error instanceof GrammyError) || !error.description.includes('message is not modified')) throw error
}
