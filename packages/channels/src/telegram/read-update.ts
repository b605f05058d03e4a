import { z } from 'zod'
import type { Inbound } from '../ports/channel.ts'
import { callbackQuery, type Press, readCallback } from './press.ts'
import type { TelegramBot } from './telegram-bot.ts'
import { writeTarget } from './telegram-target.ts'

export interface ReadOptions {
  readonly bot: TelegramBot
  /** The ids of the users who may talk to the bot. */
  readonly allowUsers: ReadonlySet<string> | undefined
  readonly groups: 'mention' | 'all' | 'never'
  readonly areTopicsApart: boolean
  readonly signal: AbortSignal
}

/** What an update means to us. */
export type UpdateReading =
  | { readonly type: 'message'; readonly inbound: Inbound }
  /** A message to the bot, without any text. */
  | { readonly type: 'no-text'; readonly id: string; readonly target: string }
  | Press
  | { readonly type: 'not-for-us' }
  | { readonly type: 'bad'; readonly reason: string }

const entity = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  user: z.object({ id: z.int() }).optional(),
})
const message = z.looseObject({
  message_id: z.int(),
  from: z
    .object({
      id: z.int(),
      is_bot: z.boolean(),
      first_name: z.string().default(''),
      last_name: z.string().default(''),
      username: z.string().optional(),
    })
    .optional(),
  chat: z.object({ id: z.int(), type: z.string() }),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().default(false),
  sender_chat: z.unknown().optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entity).default([]),
  caption_entities: z.array(entity).default([]),
  reply_to_message: z
    .object({ from: z.object({ id: z.int() }).optional(), forum_topic_created: z.unknown().optional() })
    .optional(),
})
const update = z.object({
  update_id: z.int(),
  message: message.optional(),
  callback_query: callbackQuery.optional(),
})

type TelegramMessage = z.infer<typeof message>
type Entity = z.infer<typeof entity>

/** Finds out what an update says, to whom, and by whom. Only ids count, because names can be chosen freely. */
export async function readUpdate(raw: unknown, options: ReadOptions): Promise<UpdateReading> {
  const parsed = update.safeParse(raw)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { type: 'bad', reason: `${issue?.path.join('.')}: ${issue?.message}` }
  }
  const { message: said, callback_query: query } = parsed.data
  const sender = said?.from ?? query?.from
  if (sender === undefined || options.allowUsers?.has(`${sender.id}`) === false) return notForUs
  if (query !== undefined) return readCallback(query, options) ?? notForUs
  return said === undefined ? notForUs : readMessage(said, options)
}

async function readMessage(said: TelegramMessage, options: ReadOptions): Promise<UpdateReading> {
  const sender = said.from
  if (sender === undefined || !isFromPerson(said)) return notForUs
  const addressed = await addressedText(said, options)
  if (addressed === undefined) return notForUs
  const threadId = options.areTopicsApart && said.is_topic_message ? said.message_thread_id : undefined
  const target = writeTarget({ chatId: said.chat.id, threadId })
  const id = `${said.chat.id}_${said.message_id}`
  if (addressed === '') return hasContent(said) ? { type: 'no-text', id, target } : notForUs
  const name = `${sender.first_name} ${sender.last_name}`.trim() || sender.username || `${sender.id}`
  const inbound = {
    id,
    conversation: threadId === undefined ? `${said.chat.id}` : `${said.chat.id}_${threadId}`,
    target,
    senderId: `${sender.id}`,
    senderName: name.slice(0, 200),
    text: addressed,
  }
  return { type: 'message', inbound }
}

const notForUs = { type: 'not-for-us' } as const

// Channels and anonymous administrators write in the name of a chat, so there is no person whose id could be checked.
// Messages that Telegram does not keep have no id of their own.
function isFromPerson({ from, sender_chat, message_id }: TelegramMessage): boolean {
  return from?.is_bot === false && sender_chat === undefined && message_id > 0
}

/** Returns what is said to the bot, without the bot's name. Returns `undefined` if the message is not for the bot. */
async function addressedText(
  said: TelegramMessage,
  { bot, groups, signal }: ReadOptions,
): Promise<string | undefined> {
  const text = said.text ?? said.caption ?? ''
  if (said.chat.type === 'private') return text.trim()
  if (groups === 'never' || (said.chat.type !== 'group' && said.chat.type !== 'supergroup')) return undefined
  const entities = said.text === undefined ? said.caption_entities : said.entities
  const userName = await bot.userName(signal)
  const mentions = entities.flatMap(entity => mentionIn(text, entity, { id: bot.id, userName }))
  if (groups === 'mention' && mentions.length === 0 && !isReplyTo(said, bot.id)) return undefined
  // Somebody who writes only the bot's name wants an answer, too.
  return withoutMentions(text, mentions) || text.trim()
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Returns the range of a mention of the bot, or `undefined`. */
function mentionIn(
  text: string,
  { type, offset, length, user }: Entity,
  { id, userName }: { readonly id: number; readonly userName: string },
): Range[] {
  const end = offset + length
  if (type === 'text_mention') return user?.id === id ? [{ start: offset, end }] : []
  if (type !== 'mention' && type !== 'bot_command') return []
  const start = text.indexOf('@', offset)
  const isName = start >= 0 && text.slice(start, end).toLowerCase() === `@${userName}`.toLowerCase()
  return isName ? [{ start, end }] : []
}

function withoutMentions(text: string, mentions: readonly Range[]): string {
  return mentions
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => {
      const after = rest.slice(end)
      const isGapDoubled = /(^|\s)$/.test(rest.slice(0, start)) && /^[ \t]/.test(after)
      return rest.slice(0, start) + (isGapDoubled ? after.slice(1) : after)
    }, text)
    .trim()
}

// In a topic, every message counts as a reply to the message that opened the topic. That is not a reply to the bot.
function isReplyTo({ reply_to_message: original }: TelegramMessage, botId: number): boolean {
  return original?.from?.id === botId && original.forum_topic_created === undefined
}

const contents = [
  ...'animation audio checklist contact dice document game location paid_media photo'.split(' '),
  ...'poll rich_message sticker story venue video video_note voice'.split(' '),
]

/** Whether a message has content. Service messages (somebody joined, left, pinned) have none. */
function hasContent(said: TelegramMessage): boolean {
  return contents.some(kind => kind in said)
}
