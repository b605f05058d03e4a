import { autoRetry } from '@grammyjs/auto-retry'
import { type KeysOf, unknownKey } from '@throughline/protocol/internal'
import { Api } from 'grammy'
import { type Channel, ChannelError } from '../channel.ts'
import { type ApprovalWords, approvalWords, type TelegramLanguage } from './approvals/approval-words.ts'
import { approvalShower } from './approvals/show-approval.ts'
import { checkResponse } from './check-response.ts'
import { messageEditor } from './edit-message.ts'
import { updatePoller } from './poll-updates.ts'
import { maxTextChars, messageSender } from './send-message.ts'
import { hookTaker } from './take-hook.ts'
import type { TakeSetup } from './take-update.ts'
import type { ApiSignal, TelegramBot } from './telegram-bot.ts'
import { channelErrorOf } from './telegram-errors.ts'
import { readTarget } from './telegram-target.ts'
import { telegramUsers } from './telegram-users.ts'

/** Longer than a long poll. A connection that is silent for longer is dead. */
const callTimeoutSeconds = 60
/** If Telegram asks for a longer wait, the caller gets an error and decides what to do. */
const longestWaitSeconds = 10

/** The bot of a Telegram channel, and who may use it. */
export interface TelegramOptions {
  /** The bot's token, from @BotFather. */
  readonly token: string | undefined
  /**
   * `polling`, the default, works behind every firewall. With a `webhookSecret`, Telegram calls the server with that
   * secret.
   */
  readonly mode?: 'polling' | { readonly webhookSecret: string }
  /**
   * The ids of the users who may talk to the bot. Others get no answer. `'everybody'`: anybody who finds the bot uses your
   * agents, and spends your money.
   */
  readonly allowUsers: readonly (number | string)[] | 'everybody'
  /**
   * The ids of the users who may approve tool calls in Telegram. Default: nobody, and calls are approved on the page. They
   * must be in `allowUsers`, too.
   */
  readonly approvers?: readonly (number | string)[]
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
  const { allowUsers, approvers } = telegramUsers(options)
  const bot = telegramBot(options.token, options.apiRoot)
  const send = messageSender(bot, { format })
  const words = wordsIn(options.language ?? 'en')
  const taking: TakeSetup = {
    bot,
    send,
    allowUsers,
    groups: options.groups ?? 'mention',
    areTopicsApart: options.replyInThread ?? true,
    textOnlyNotice: options.textOnlyNotice ?? 'I can only read text so far.',
    words,
    report: (error, what) => tell(options, error, what),
  }
  return {
    kind: 'telegram',
    approvers,
    maxChars: maxTextChars,
    send,
    edit: messageEditor(bot, { format }),
    showApproval: approvalShower(bot, { words, canDecide: approvers.size > 0 }),
    async typing(target, signal) {
      const { chatId, threadId } = readTarget(target)
      const topic = threadId === undefined ? {} : { message_thread_id: threadId }
      await bot.ask(signal, (api, apiSignal) => api.sendChatAction(chatId, 'typing', topic, apiSignal))
    },
    ...(mode === 'polling' ? { poll: updatePoller(taking) } : hookTaker(mode.webhookSecret, taking)),
  }
}

/** Connects to the Bot API. Throws a `ChannelError` if the token is missing or is no token. */
function telegramBot(token: string | undefined, apiRoot = 'https://api.telegram.org'): TelegramBot {
  if (token === undefined || token === '') {
    throw new ChannelError(
      'refused',
      'The Telegram channel has no token. Ask @BotFather for one, and set TELEGRAM_BOT_TOKEN.',
    )
  }
  const [, id] = /^(\d+):[\w-]{10,}$/.exec(token) ?? []
  if (id === undefined) {
    throw new ChannelError(
      'refused',
      'TELEGRAM_BOT_TOKEN is no token of a bot: one looks like 123456:ABC-DEF1234ghIkl.',
    )
  }
  const api = new Api(token, {
    apiRoot: apiRoot.replace(/\/+$/, ''),
    timeoutSeconds: callTimeoutSeconds,
    // The URL contains the token, so it must not go to another server.
    baseFetchConfig: { redirect: 'error' },
  })
  // Only calls that Telegram has certainly not carried out are repeated here. The caller decides about all others.
  api.config.use(
    checkResponse,
    autoRetry({
      maxDelaySeconds: longestWaitSeconds,
      rethrowHttpErrors: true,
      rethrowInternalServerErrors: true,
    }),
  )
  const ask: TelegramBot['ask'] = async (signal, call) => {
    try {
      return await call(api, apiSignalOf(signal))
    } catch (error) {
      throw channelErrorOf(error, token)
    }
  }
  return { token, id: Number(id), ask, userName: userNameOf(ask) }
}

function userNameOf(ask: TelegramBot['ask']): TelegramBot['userName'] {
  let asked: Promise<string> | undefined
  return signal => {
    asked ??= ask(signal, async (api, apiSignal) => (await api.getMe(apiSignal)).username).catch(error => {
      asked = undefined
      throw error
    })
    return asked
  }
}

function apiSignalOf(signal: AbortSignal): ApiSignal {
  if (!isApiSignal(signal)) throw new TypeError('An abort signal is needed.')
  return signal
}

// grammY's types name the class of a polyfill, but every `AbortSignal` works.
function isApiSignal(signal: unknown): signal is ApiSignal {
  return signal instanceof AbortSignal
}

// A misspelled `approvers` would be an empty list.
const knownOptions: KeysOf<TelegramOptions> = {
  token: true,
  mode: true,
  allowUsers: true,
  approvers: true,
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
