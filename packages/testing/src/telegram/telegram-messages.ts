/** Somebody who writes to the bot. */
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

/** What is known of an update; everything else about it is as the test has it. */
export interface TelegramUpdate {
  readonly update_id: number
  readonly [field: string]: unknown
}

/** What a person writes. */
export interface PersonsMessage {
  readonly text?: string
  readonly from?: TelegramUser
  /** Where; in private when left out. */
  readonly chat?: TelegramChat
  /** The topic of a forum. */
  readonly threadId?: number | undefined
  /** A message of the bot that it answers. */
  readonly replyToBot?: number
  /** Anything else that is in the message, such as a photo. */
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

/** The message as Telegram tells it to the bot. */
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

/** The names and commands that Telegram finds in a text by itself. */
export function entitiesIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  return [...text.matchAll(/(?<!\S)\/\w+(?:@\w+)?|(?<!\w)@\w+/g)].map(({ 0: found, index }) => ({
    type: found.startsWith('/') ? 'bot_command' : 'mention',
    offset: index,
    length: found.length,
  }))
}
