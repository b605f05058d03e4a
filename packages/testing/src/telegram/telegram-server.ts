import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { inTime } from '../waits/in-time.ts'
import type { BotMessage } from './telegram-chats.ts'
import {
  alice,
  messageOf,
  type PersonsMessage,
  privateChatOf,
  type TelegramChat,
  type TelegramUpdate,
  type TelegramUser,
} from './telegram-messages.ts'
import { TelegramMethods, type TelegramWebhook } from './telegram-methods.ts'
import { readTelegramParams } from './telegram-request.ts'
import { TelegramRefusal } from './telegram-updates.ts'

/** What happens to one call. */
export type TelegramFault =
  /** The response is an error, and nothing is done. */
  | {
      readonly type: 'error'
      readonly status: number
      readonly description: string
      readonly parameters?: Readonly<Record<string, unknown>>
    }
  /** The response does not come from Telegram, but from a proxy in between. */
  | {
      readonly type: 'garbage'
      readonly status: number
      readonly body: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection breaks before anything is done. */
  | { readonly type: 'reset' }
  /** The call is done, and the connection breaks before the response. */
  | { readonly type: 'lost-answer' }
  /** Nothing happens until this resolves. */
  | { readonly type: 'held'; readonly until: Promise<unknown> }

export interface TelegramCall {
  readonly method: string
  readonly values: Readonly<Record<string, unknown>>
}

/** What a test can see of a bot, and what it can make happen. */
export interface TelegramServer extends AsyncDisposable {
  readonly apiRoot: string
  readonly token: string
  readonly botId: number
  readonly userName: string
  /** The bot's messages in the order in which they were sent. An edited message has its current text. */
  readonly messages: readonly BotMessage[]
  readonly calls: readonly TelegramCall[]
  /** The updates that the bot has not confirmed yet. */
  readonly pending: readonly TelegramUpdate[]
  readonly webhook: TelegramWebhook | undefined
  /** A person writes to the bot; a plain text is a private message. Returns the number of the message in its chat. */
  write(message: string | PersonsMessage): number
  /** A person presses a button below a message of the bot. In a private chat it is the person of the chat. */
  press(message: BotMessage, button: string, more?: Press): void
  /** Adds an update of any kind. */
  push(fields: Readonly<Record<string, unknown>>): void
  /** Says what happens to the next calls of a method, in order. All later calls succeed. */
  fail(method: string, ...faults: readonly TelegramFault[]): void
  /** From now on the bot may not write in this chat. */
  refuse(chatId: number, refusal: TelegramRefusal | undefined): void
  setWebhook(webhook: TelegramWebhook | undefined): void
  /**
   * Posts the pending updates to the webhook in order, up to the first that is refused. Returns the HTTP statuses.
   */
  callWebhook(): Promise<readonly number[]>
  /** Resolves when the condition holds. It is checked when a call arrives, confirms updates, or gets its response. */
  until(condition: () => boolean): Promise<void>
}

export interface Press {
  readonly from?: TelegramUser
  /** The chat of the message, as in an update. */
  readonly chat?: TelegramChat
}

export interface TelegramServerOptions {
  readonly token?: string
  readonly userName?: string
}

/** Starts a Bot API on a free port, with one bot. It has the methods that we use, and fails as the test says. */
export async function startTelegramServer(options: TelegramServerOptions = {}): Promise<TelegramServer> {
  const { token = '4242:AAtest-token_not-a-secret-00000000000', userName = 'ThroughlineBot' } = options
  const bot = new LocalBot(token, userName)
  const server = createServer((request, response) => {
    // It fails only when the other side has left, which tests do on purpose: there is nobody to tell.
    bot.handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The Bot API has no port.')
  bot.apiRoot = `http://127.0.0.1:${address.port}`
  bot.close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return bot
}

class LocalBot implements TelegramServer {
  readonly token: string
  readonly botId: number
  readonly userName: string
  readonly calls: TelegramCall[] = []
  apiRoot = ''
  close = async () => {}
  readonly #methods: TelegramMethods
  readonly #faults = new Map<string, TelegramFault[]>()
  readonly #waiting = new Set<{ readonly condition: () => boolean; readonly resolve: () => void }>()
  #nextUpdateId = 700_000_001

  constructor(token: string, userName: string) {
    this.token = token
    this.userName = userName
    this.botId = Number(token.split(':')[0])
    this.#methods = new TelegramMethods({ botId: this.botId, userName }, () => this.#look())
  }

  get messages(): readonly BotMessage[] {
    return this.#methods.chats.messages
  }

  get pending(): readonly TelegramUpdate[] {
    return this.#methods.updates.pending
  }

  get webhook(): TelegramWebhook | undefined {
    return this.#methods.webhook
  }

  write(written: string | PersonsMessage): number {
    const message = typeof written === 'string' ? { text: written } : written
    const chat = message.chat ?? privateChatOf(message.from ?? alice)
    const messageId = this.#methods.chats.nextMessageId(chat, message.threadId)
    this.push({ message: messageOf(message, { messageId, botId: this.botId }) })
    return messageId
  }

  press(message: BotMessage, button: string, { from = alice, chat }: Press = {}): void {
    const pressed = message.buttons.find(({ text }) => text === button)
    if (pressed === undefined) throw new Error(`There is no button ${JSON.stringify(button)}.`)
    const { messageId, chatId, threadId } = message
    const id = `query-${this.#nextUpdateId}`
    this.#methods.openQueries.add(id)
    const where = chat ?? { id: chatId, type: chatId < 0 ? 'supergroup' : 'private' }
    const below = messageOf({ chat: where, threadId }, { messageId, botId: this.botId })
    this.push({ callback_query: { id, from, message: below, chat_instance: '1', data: pressed.data } })
  }

  push(fields: Readonly<Record<string, unknown>>): void {
    const update = { update_id: this.#nextUpdateId, ...fields }
    this.#nextUpdateId += 1
    this.#methods.updates.add(update)
  }

  fail(method: string, ...faults: readonly TelegramFault[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults])
  }

  refuse(chatId: number, refusal: TelegramRefusal | undefined): void {
    this.#methods.chats.refuse(chatId, refusal)
  }

  setWebhook(webhook: TelegramWebhook | undefined): void {
    this.#methods.webhook = webhook
  }

  async callWebhook(): Promise<readonly number[]> {
    const { webhook } = this
    if (webhook === undefined) throw new Error('No webhook is set.')
    const statuses: number[] = []
    for (const update of [...this.pending]) {
      const { ok, status } = await fetch(webhook.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-telegram-bot-api-secret-token': webhook.secret,
        },
        body: JSON.stringify(update),
      })
      statuses.push(status)
      if (!ok) break
      this.#methods.updates.confirmBefore(update.update_id + 1)
    }
    return statuses
  }

  async until(condition: () => boolean): Promise<void> {
    if (condition()) return
    const held = new Promise<void>(resolve => this.#waiting.add({ condition, resolve }))
    const seen = () => ({ messages: this.messages, lastCalls: this.calls.slice(-5) })
    await inTime('the bot has done what is expected', held, { seen })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const params = await readTelegramParams(request)
    const [, token = '', method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? '') ?? []
    if (token !== this.token) return refuse(response, new TelegramRefusal(401, 'Unauthorized'))
    this.calls.push({ method, values: params.values })
    const fault = this.#faults.get(method)?.shift()
    this.#look()
    if (fault?.type === 'held') await fault.until
    if (fault?.type === 'reset') return void request.socket.resetAndDestroy()
    if (fault?.type === 'garbage') return void response.writeHead(fault.status, fault.headers).end(fault.body)
    try {
      if (fault?.type === 'error')
        throw new TelegramRefusal(fault.status, fault.description, fault.parameters)
      const result = await this.#methods.call(method, params, leavingOf(response))
      if (fault?.type === 'lost-answer') request.socket.resetAndDestroy()
      else answer(response, 200, { ok: true, result })
    } catch (error) {
      if (!(error instanceof TelegramRefusal)) throw error
      refuse(response, error)
    } finally {
      this.#look()
    }
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.condition()) continue
      this.#waiting.delete(waiting)
      waiting.resolve()
    }
  }
}

function leavingOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  response.once('close', () => leaving.abort())
  return leaving.signal
}

function refuse(response: ServerResponse, { status, message, parameters }: TelegramRefusal): void {
  answer(response, status, { ok: false, error_code: status, description: message, parameters })
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
