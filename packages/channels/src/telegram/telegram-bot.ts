import { autoRetry } from '@grammyjs/auto-retry'
import { Api } from 'grammy'
import { ChannelError } from '../channel.ts'
import { checkResponse } from './check-response.ts'
import { withChannelErrors } from './telegram-errors.ts'

/** Longer than a long poll. A connection that is silent for longer is dead. */
const callTimeoutSeconds = 60
/** If Telegram asks for a longer wait, the caller gets an error and decides what to do. */
const longestWaitSeconds = 10

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

export function telegramBot(token: string | undefined, apiRoot = 'https://api.telegram.org'): TelegramBot {
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
  const ask: TelegramBot['ask'] = (signal, call) =>
    withChannelErrors(token, () => call(api, apiSignalOf(signal)))
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
