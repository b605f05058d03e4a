import { type KeysOf, unknownKey } from '@throughline/protocol/internal'
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
  /**
   * `polling`, the default, works behind every firewall. With a `webhookSecret`, Telegram calls the server with that
   * secret.
   */
  readonly mode?: 'polling' | { readonly webhookSecret: string }
  /** The ids of the users who may talk to the bot. Others get no answer. Without it everybody may. */
  readonly allowUsers?: readonly (number | string)[]
  /** When the bot answers in groups. `mention`, the default: when it is mentioned or replied to. */
  readonly groups?: 'mention' | 'all' | 'never'
  /** Whether each topic of a group is a conversation of its own: true. */
  readonly replyInThread?: boolean
  readonly format?: 'markdown' | 'plain'
  /** The language in which people are asked to approve tool calls: `en`. */
  readonly language?: TelegramLanguage
  /** The reply to pictures, voice messages and stickers without a caption. Empty: no reply. */
  readonly textOnlyNotice?: string
  /** The address of a Bot API server. By default Telegram's own. */
  readonly apiRoot?: string | undefined
  /** Is told about updates that were left out. */
  readonly onProblem?: (error: unknown, what: string) => void
}

/**
 * Talks with people in Telegram. An inbound message is confirmed to Telegram when it is durable. An outgoing message can
 * be shown twice in one case: Telegram has no idempotency keys, so a message whose confirmation is lost is sent again.
 * Throws a `ChannelError` if an option is wrong.
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
      const topic = threadId === undefined ? {} : { message_thread_id: threadId }
      await bot.ask(signal, (api, apiSignal) => api.sendChatAction(chatId, 'typing', topic, apiSignal))
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
    // If `onProblem` itself fails, nobody can be told. The messages matter more.
  }
}
