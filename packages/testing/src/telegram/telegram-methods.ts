import { z } from 'zod'
import { type BotMessage, TelegramChats } from './telegram-chats.ts'
import type { TelegramParams } from './telegram-request.ts'
import { TelegramRefusal, TelegramUpdates } from './telegram-updates.ts'

export interface TelegramIdentity {
  readonly botId: number
  readonly userName: string
}

export interface TelegramWebhook {
  readonly url: string
  readonly secret: string
}

const updatesQuestion = z.object({
  offset: z.coerce.number().default(0),
  limit: z.coerce.number().default(100),
  timeout: z.coerce.number().default(0),
})
const tooOld = 'Bad Request: query is too old and response timeout expired or query ID is invalid'
const webhookParams = z.object({ url: z.string(), secret_token: z.string().default('') })

/** The methods of the Bot API that we use, and their state. */
export class TelegramMethods {
  readonly chats = new TelegramChats()
  readonly updates: TelegramUpdates
  /** The pressed buttons that the bot has not confirmed yet. */
  readonly openQueries = new Set<string>()
  readonly #identity: TelegramIdentity
  webhook: TelegramWebhook | undefined

  constructor(identity: TelegramIdentity, onConfirm: () => void) {
    this.#identity = identity
    this.updates = new TelegramUpdates(onConfirm)
  }

  async call(method: string, params: TelegramParams, signal: AbortSignal): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return this.#me()
      case 'getUpdates':
        return this.#getUpdates(params, signal)
      case 'setWebhook': {
        const { url, secret_token: secret } = webhookParams.parse(params.values)
        this.webhook = url === '' ? undefined : { url, secret }
        return true
      }
      case 'deleteWebhook':
        this.webhook = undefined
        return true
      case 'sendMessage':
        return this.#told(this.chats.send(params, 'text'))
      case 'sendPhoto':
        return this.#told(this.chats.send(params, 'photo'))
      case 'sendDocument':
        return this.#told(this.chats.send(params, 'document'))
      case 'editMessageText':
        return this.#told(this.chats.edit(params))
      case 'editMessageReplyMarkup':
        return this.#told(this.chats.editMarkup(params))
      case 'answerCallbackQuery': {
        const { callback_query_id: id } = z.object({ callback_query_id: z.string() }).parse(params.values)
        if (!this.openQueries.delete(id)) throw new TelegramRefusal(400, tooOld)
        return true
      }
      case 'sendChatAction':
        this.chats.act(params)
        return true
      default:
        throw new TelegramRefusal(404, 'Not Found: method not found')
    }
  }

  #me(): Readonly<Record<string, unknown>> {
    const { botId, userName } = this.#identity
    return { id: botId, is_bot: true, first_name: 'Bot', username: userName }
  }

  #getUpdates({ values }: TelegramParams, signal: AbortSignal): Promise<unknown> {
    if (this.webhook !== undefined) {
      throw new TelegramRefusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    }
    const { offset, limit, timeout } = updatesQuestion.parse(values)
    return this.updates.ask({ offset, limit, timeoutSeconds: timeout, signal })
  }

  #told({ messageId, chatId, text }: BotMessage): Readonly<Record<string, unknown>> {
    return { message_id: messageId, date: 1_790_000_000, chat: { id: chatId }, from: this.#me(), text }
  }
}
