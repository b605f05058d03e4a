import { defined, type KeysOf, unknownKey } from '@throughline/protocol/internal'
import { type Channel, ChannelError } from '../ports/channel.ts'
import { maxTextChars, messageEditor, messageSender } from './send-message.ts'
import { type ApprovalWords, approvalShower, approvalWords, type TelegramLanguage } from './show-approval.ts'
import { hookTaker, type TakeSetup, updatePoller } from './take-updates.ts'
import { telegramBot } from './telegram-bot.ts'
import { readTarget } from './telegram-target.ts'

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
  /** Called with updates that were left out. */
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
      const topic = defined({ message_thread_id: threadId })
      await bot.ask(signal, (api, apiSignal) => api.sendChatAction(chatId, 'typing', topic, apiSignal))
    },
    ...(mode === 'polling' ? { poll: updatePoller(taking) } : hookTaker(mode.webhookSecret, taking)),
  }
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

/** Who may use a bot. */
interface TelegramUsers {
  /** The ids of the users who may talk to the bot; `undefined`: everybody. */
  readonly allowUsers: ReadonlySet<string> | undefined
  /** The ids of the users who may approve tool calls. */
  readonly approvers: ReadonlySet<string>
}

interface UserLists {
  readonly allowUsers: readonly (number | string)[] | 'everybody'
  readonly approvers?: readonly (number | string)[] | undefined
}

/** Reads the two lists. Throws a `ChannelError` when one is missing or wrong: a mistake must not let anybody in. */
function telegramUsers(lists: UserLists): TelegramUsers {
  // Nobody checks the types of a configuration. Without the list, it is missing here.
  const given: Partial<UserLists> = lists
  if (given.allowUsers === undefined) {
    throw refused(
      'allowUsers is missing. Write the ids of the users who may talk to the bot, as in allowUsers: [123456789]. ' +
        "For a bot that everybody may talk to, write allowUsers: 'everybody'",
    )
  }
  const allowUsers = lists.allowUsers === 'everybody' ? undefined : idsIn('allowUsers', lists.allowUsers)
  if (allowUsers?.size === 0) throw refused('allowUsers is empty, so nobody could talk to the bot')
  const approvers = idsIn('approvers', lists.approvers ?? [])
  const outsider = [...approvers].find(id => allowUsers?.has(id) === false)
  if (outsider === undefined) return { allowUsers, approvers }
  throw refused(`approvers has ${outsider}, who may not talk to the bot. Add that id to allowUsers, too`)
}

function idsIn(option: string, ids: readonly (number | string)[]): ReadonlySet<string> {
  const list: unknown = ids
  if (!Array.isArray(list)) throw refused(`${option} must be a list of user ids`)
  const wrong = ids.find(id => !/^[1-9]\d*$/.test(String(id)))
  // A name can be changed, and taken by somebody else.
  if (wrong !== undefined)
    throw refused(
      `${option} has ${JSON.stringify(wrong)}, which is no id of a user. An id is a number such as 123456789`,
    )
  return new Set(ids.map(String))
}

function refused(problem: string): ChannelError {
  return new ChannelError('refused', `telegramChannel: ${problem}. See docs/guides/telegram.md.`)
}
