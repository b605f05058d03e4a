import { z } from 'zod'
import { buttonsIn, type TelegramButton } from './telegram-buttons.ts'
import {
  parseTelegramMarkdown,
  type TelegramEntity,
  TelegramMarkdownError,
} from './telegram-markdown-parser.ts'
import type { TelegramChat } from './telegram-messages.ts'
import type { TelegramFile, TelegramParams } from './telegram-request.ts'
import { TelegramRefusal } from './telegram-updates.ts'

/** A message of the bot as people see it in the chat. */
export interface BotMessage {
  readonly messageId: number
  readonly chatId: number
  readonly threadId: number | undefined
  readonly replyTo: number | undefined
  /** The text or the caption, without markup. */
  readonly text: string
  readonly entities: readonly TelegramEntity[]
  readonly parseMode: string | undefined
  readonly medium: ({ readonly kind: 'photo' | 'document' } & TelegramFile) | undefined
  readonly hasPreview: boolean
  readonly buttons: readonly TelegramButton[]
}

interface KnownChat {
  readonly chat: TelegramChat
  readonly messageIds: Set<number>
  readonly threadIds: Set<number>
  refusal: TelegramRefusal | undefined
}

// The only kind of entity that our channel sends instead of markup.
const codeBlock = z.object({
  type: z.literal('pre'),
  offset: z.number(),
  length: z.number(),
  language: z.string(),
})

const placement = z.object({
  chat_id: z.coerce.number(),
  message_thread_id: z.coerce.number().optional(),
  parse_mode: z.string().optional(),
  text: z.string().default(''),
  caption: z.string().default(''),
  reply_parameters: z
    .object({ message_id: z.number(), allow_sending_without_reply: z.boolean().default(false) })
    .optional(),
  link_preview_options: z.object({ is_disabled: z.boolean().default(false) }).optional(),
  entities: z.array(codeBlock).default([]),
  reply_markup: z.unknown().optional(),
})

/** The chats of the bot, and its messages there. */
export class TelegramChats {
  readonly messages: BotMessage[] = []
  readonly #chats = new Map<number, KnownChat>()

  /** Adds a message by a person. From now on the bot knows the chat. */
  nextMessageId(chat: TelegramChat, threadId?: number): number {
    const known = this.#chats.get(chat.id) ?? this.#enter(chat)
    if (threadId !== undefined) known.threadIds.add(threadId)
    return this.#newId(known)
  }

  refuse(chatId: number, refusal: TelegramRefusal | undefined): void {
    this.#chat(chatId).refusal = refusal
  }

  /** `sendMessage`, `sendPhoto` and `sendDocument`. */
  send({ values, files }: TelegramParams, kind: 'text' | 'photo' | 'document'): BotMessage {
    const params = placement.parse(values)
    const content = contentOf(params, kind)
    const known = this.#chat(params.chat_id)
    if (known.refusal !== undefined) throw known.refusal
    const { message_thread_id: threadId } = params
    if (threadId !== undefined && !known.threadIds.has(threadId)) {
      throw new TelegramRefusal(400, 'Bad Request: message thread not found')
    }
    const file = files.get(kind)
    if (kind !== 'text' && file === undefined) {
      throw new TelegramRefusal(400, `Bad Request: there is no ${kind} in the request`)
    }
    const message = {
      messageId: this.#newId(known),
      chatId: params.chat_id,
      threadId,
      replyTo: repliedTo(params, known),
      ...content,
      parseMode: params.parse_mode,
      medium: kind === 'text' || file === undefined ? undefined : { kind, ...file },
      hasPreview: params.link_preview_options?.is_disabled !== true,
      buttons: buttonsIn(params.reply_markup),
    }
    this.messages.push(message)
    return message
  }

  /** `editMessageText`. */
  edit({ values }: TelegramParams): BotMessage {
    const params = placement.parse(values)
    const content = contentOf(params, 'text')
    if (this.#message(values).medium !== undefined) {
      throw new TelegramRefusal(400, 'Bad Request: there is no text in the message to edit')
    }
    const { parse_mode: parseMode, reply_markup: markup } = params
    return this.#change(values, { ...content, parseMode, buttons: buttonsIn(markup) })
  }

  /** `editMessageReplyMarkup`. */
  editMarkup({ values }: TelegramParams): BotMessage {
    return this.#change(values, { buttons: buttonsIn(placement.parse(values).reply_markup) })
  }

  #message(values: TelegramParams['values']): BotMessage {
    const place = z.object({ chat_id: z.coerce.number(), message_id: z.coerce.number() }).parse(values)
    const isIt = ({ chatId, messageId }: BotMessage) =>
      chatId === place.chat_id && messageId === place.message_id
    const found = this.messages.find(isIt)
    if (found === undefined) throw new TelegramRefusal(400, 'Bad Request: message to edit not found')
    return found
  }

  #change(values: TelegramParams['values'], change: Partial<BotMessage>): BotMessage {
    const before = this.#message(values)
    const after = { ...before, ...change }
    const seenOf = ({ text, entities, buttons }: BotMessage) => JSON.stringify([text, entities, buttons])
    if (seenOf(before) === seenOf(after)) {
      throw new TelegramRefusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
      )
    }
    this.messages[this.messages.indexOf(before)] = after
    return after
  }

  /** `sendChatAction`. */
  act({ values }: TelegramParams): void {
    const { refusal } = this.#chat(placement.parse(values).chat_id)
    if (refusal !== undefined) throw refusal
  }

  #chat(chatId: number): KnownChat {
    const known = this.#chats.get(chatId)
    if (known === undefined) throw new TelegramRefusal(400, 'Bad Request: chat not found')
    return known
  }

  #enter(chat: TelegramChat): KnownChat {
    const known = { chat, messageIds: new Set<number>(), threadIds: new Set<number>(), refusal: undefined }
    this.#chats.set(chat.id, known)
    return known
  }

  // Each chat numbers its own messages, so one number stands for different messages in different chats.
  #newId({ messageIds }: KnownChat): number {
    const id = messageIds.size + 1
    messageIds.add(id)
    return id
  }
}

type Placement = z.infer<typeof placement>

function contentOf(
  { text, caption, parse_mode: parseMode, entities }: Placement,
  kind: 'text' | 'photo' | 'document',
): Pick<BotMessage, 'text' | 'entities'> {
  const source = kind === 'text' ? text : caption
  if (!source.isWellFormed() || source.includes('\0')) {
    throw new TelegramRefusal(400, 'Bad Request: strings must be encoded in UTF-8')
  }
  const content = parseMode === undefined ? { text: source, entities } : parse(source, parseMode)
  if (kind === 'text' && content.text.trim() === '') {
    throw new TelegramRefusal(400, 'Bad Request: message text is empty')
  }
  if (kind === 'text' && content.text.length > 4_096) {
    throw new TelegramRefusal(400, 'Bad Request: message is too long')
  }
  if (kind !== 'text' && content.text.length > 1_024) {
    throw new TelegramRefusal(400, 'Bad Request: message caption is too long')
  }
  return content
}

function parse(source: string, parseMode: string): Pick<BotMessage, 'text' | 'entities'> {
  if (parseMode !== 'MarkdownV2') throw new TelegramRefusal(400, 'Bad Request: unsupported parse_mode')
  try {
    return parseTelegramMarkdown(source)
  } catch (error) {
    if (!(error instanceof TelegramMarkdownError)) throw error
    throw new TelegramRefusal(400, `Bad Request: can't parse entities: ${error.message}`)
  }
}

function repliedTo({ reply_parameters: reply }: Placement, { messageIds }: KnownChat): number | undefined {
  if (reply === undefined) return undefined
  if (messageIds.has(reply.message_id)) return reply.message_id
  if (reply.allow_sending_without_reply) return undefined
  throw new TelegramRefusal(400, 'Bad Request: message to be replied not found')
}
