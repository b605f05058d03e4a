import { type KeysOf, unknownKey } from '@throughline/protocol/unknown-key'
import { type Channel, ChannelError } from '../channel.ts'
import { type ApprovalWords, approvalWords, type TelegramLanguage } from './approvals/approval-words.ts'
import { approvalShower } from './approvals/show-approval.ts'
import { messageEditor } from './edit-message.ts'
import { maxTextChars } from './message-parts.ts'
import { updatePoller } from './poll-updates.ts'
import { messageSender } from './send-message.ts'
import { hookTaker } from './take-hook.ts'
import type { TakeSetup } from './take-update.ts'
import { telegramBot } from './telegram-bot.ts'
import { readTarget } from './telegram-target.ts'

export interface TelegramOptions {
  /** The bot's token, from @BotFather. */
  readonly token: string | undefined
  /** `polling`, the default, works behind every firewall. With a secret, Telegram calls us, and has to know it. */
  readonly mode?: 'polling' | { readonly webhookSecret: string }
  /** The users who may talk to the bot, by their unchangeable ids. Others get no answer. Everybody when left out. */
  readonly allowUsers?: readonly (number | string)[]
  /** When the bot answers in groups: when it is mentioned or replied to (the default), always, or never. */
  readonly groups?: 'mention' | 'all' | 'never'
  /** Whether a topic is a conversation of its own and is answered in its place; it is by default. */
  readonly replyInThread?: boolean
  readonly format?: 'markdown' | 'plain'
  /** The language in which people are asked to approve tool calls; `en` by default. */
  readonly language?: TelegramLanguage
  /** What is answered to pictures, voice messages and stickers without a caption; nothing when empty. */
  readonly textOnlyNotice?: string
  /** Where the Bot API is, when it is not Telegram's own. */
  readonly apiRoot?: string | undefined
  /** Hears of what was left out so that everything else could go on. */
  readonly onProblem?: (error: unknown, what: string) => void
}

/**
 * Talks with people in Telegram. What comes in is confirmed to Telegram only when it is durable. What goes out may be
 * seen twice in one case: Telegram knows no idempotency key, so a message whose confirmation is lost is sent again.
 *
 * @public
 */
export function telegramChannel(options: TelegramOptions): Channel {
  const problem = unknownKey(options, knownOptions)
  if (problem !== undefined) throw new ChannelError('refused', `telegramChannel: ${problem}`)
  const { mode = 'polling', format = 'markdown' } = options
  const bot = telegramBot(options.token, options.apiRoot)
  const send = messageSender(bot, { format })
  const words = wordsIn(options.language ?? 'en')
  const taking: TakeSetup = {
    bot,
    send,
    allowUsers: options.allowUsers && new Set(options.allowUsers.map(String)),
    groups: options.groups ?? 'mention',
    areTopicsApart: options.replyInThread ?? true,
    textOnlyNotice: options.textOnlyNotice ?? 'I can only read text so far.',
    words,
    report: (error, what) => tell(options, error, what),
  }
  return {
    kind: 'telegram',
    maxChars: maxTextChars,
    send,
    edit: messageEditor(bot, { format }),
    showApproval: approvalShower(bot, words),
    async typing(target, signal) {
      const { chatId, threadId } = readTarget(target)
      const place = threadId === undefined ? {} : { message_thread_id: threadId }
      await bot.ask(signal, (api, apiSignal) => api.sendChatAction(chatId, 'typing', place, apiSignal))
    },
    ...(mode === 'polling'
      ? { poll: updatePoller(taking) }
      : { hook: hookTaker(mode.webhookSecret, taking) }),
  }
}

// A misspelled `allowUsers` would let everybody in.
const knownOptions: KeysOf<TelegramOptions> = {
  token: true,
  mode: true,
  allowUsers: true,
  groups: true,
  replyInThread: true,
  format: true,
  language: true,
  textOnlyNotice: true,
  apiRoot: true,
  onProblem: true,
}

function wordsIn(language: TelegramLanguage): ApprovalWords {
  if (Object.hasOwn(approvalWords, language)) return approvalWords[language]
  const known = Object.keys(approvalWords).join(', ')
  throw new ChannelError(
    'refused',
    `The bot does not speak ${JSON.stringify(language)}. It speaks: ${known}.`,
  )
}

function tell({ onProblem }: TelegramOptions, error: unknown, what: string): void {
  try {
    onProblem?.(error, what)
  } catch {
    // Whoever cannot be told of a problem cannot be told of this one either, and messages go before.
  }
}
