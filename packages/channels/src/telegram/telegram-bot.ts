import type { Api } from 'grammy'

/** What grammY takes as an abort signal. */
export type ApiSignal = NonNullable<Parameters<Api['getMe']>[0]>

/** The part of a bot that the channel uses. */
export interface TelegramBot {
  readonly token: string
  /** The bot's own user id. */
  readonly id: number
  /** Calls Telegram. Throws only `ChannelError`s. */
  readonly ask: <Result>(
    signal: AbortSignal,
    call: (api: Api, signal: ApiSignal) => Promise<Result>,
  ) => Promise<Result>
  /** Returns the bot's user name, which people mention. Telegram is asked once. */
  readonly userName: (signal: AbortSignal) => Promise<string>
}
