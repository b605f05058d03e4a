/** A person who writes to the bot. */
export interface TelegramUser {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly last_name?: string
  readonly username?: string
}

export interface TelegramChat {
  readonly id: number
  readonly type: 'private' | 'group' | 'supergroup' | 'channel'
  readonly title?: string
}

/** The fields of an update that we know. A test may add others. */
export interface TelegramUpdate {
  readonly update_id: number
  readonly [field: string]: unknown
}

/** What a person writes. */
export interface PersonsMessage {
  readonly text?: string
  readonly from?: TelegramUser
  /** The chat. Default: the private chat with the person. */
  readonly chat?: TelegramChat
  /** The topic of a forum. */
  readonly threadId?: number | undefined
  /** The message of the bot that this one replies to. */
  readonly replyToBot?: number
  /** More fields of the message, for example a photo. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export const alice: TelegramUser = {
  id: 501,
  is_bot: false,
  first_name: 'Alice',
  last_name: 'Ray',
  username: 'alice_ray',
}

export const bob: TelegramUser = { id: 502, is_bot: false, first_name: 'Bob' }

export const teamGroup: TelegramChat = { id: -1001234567890, type: 'supergroup', title: 'Team' }

export function privateChatOf({ id }: TelegramUser): TelegramChat {
  return { id, type: 'private' }
}

/** Returns the message as Telegram sends it to the bot. */
export function messageOf(
  { text, from = alice, chat = privateChatOf(from), threadId, replyToBot, fields }: PersonsMessage,
  { messageId, botId }: { readonly messageId: number; readonly botId: number },
): Readonly<Record<string, unknown>> {
  return {
    message_id: messageId,
    date: 1_790_000_000,
    from,
    chat,
    ...(threadId !== undefined && { message_thread_id: threadId, is_topic_message: true }),
    ...(replyToBot !== undefined && {
      reply_to_message: {
        message_id: replyToBot,
        chat,
        from: { id: botId, is_bot: true, first_name: 'Bot' },
      },
    }),
    ...(text !== undefined && { text, entities: entitiesIn(text) }),
    ...fields,
  }
}

/** Returns the mentions and commands that Telegram finds in a text. */
export function entitiesIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  return [...text.matchAll(/(?<!\S)\/\w+(?:@\w+)?|(?<!\w)@\w+/g)].map(({ 0: found, index }) => ({
    type: found.startsWith('/') ? 'bot_command' : 'mention',
    offset: index,
    length: found.length,
  }))
}
