import { autoRetry } from '@grammyjs/auto-retry'
import { defined } from '@throughline/protocol/internal'
import { Api, GrammyError, HttpError, type Transformer } from 'grammy'
import { z } from 'zod'
import { ChannelError } from '../ports/channel.ts'

/** Longer than a long poll. A connection that is silent for longer is dead. */
const callTimeoutSeconds = 60
/** If Telegram asks for a longer wait, the caller gets an error and decides what to do. */
const longestWaitSeconds = 10

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

/** Connects to the Bot API. Throws a `ChannelError` if the token is missing or is no token. */
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

/**
 * Returns the `ChannelError` for a failed call of the Bot API. It does not contain the token. The cause is left out: it
 * contains the URL, and the URL contains the token.
 */
function channelErrorOf(error: unknown, token: string): ChannelError {
  if (error instanceof ChannelError) return error
  if (error instanceof GrammyError) return errorOfResponse(error, token)
  if (error instanceof HttpError) {
    return new ChannelError(
      'unavailable',
      `Telegram cannot be reached: ${scrub(reasonOf(error.error), token)}.`,
    )
  }
  // For example a wait that was aborted.
  const reason = error instanceof Error ? error.message : String(error)
  return new ChannelError('unavailable', `Telegram was not asked: ${scrub(reason, token)}.`)
}

function errorOfResponse(
  { error_code: status, description, parameters }: GrammyError,
  token: string,
): ChannelError {
  const said = `Telegram responded with ${status}${description === '' ? '' : `: ${scrub(description, token)}`}.`
  const seconds = parameters.retry_after
  if (status === 429) {
    return new ChannelError('unavailable', said, seconds === undefined ? undefined : seconds * 1000)
  }
  if (status >= 500) return new ChannelError('unavailable', said)
  if (status === 409) {
    return new ChannelError(
      'unavailable',
      `${said} Only one program may ask for a bot's messages: stop the other one.`,
    )
  }
  // Telegram responds with 404 to a token that never existed.
  const isTokenWrong = status === 401 || status === 404
  return new ChannelError('refused', isTokenWrong ? `${said} Check TELEGRAM_BOT_TOKEN.` : said)
}

function scrub(text: string, token: string): string {
  const secret = token.slice(token.indexOf(':') + 1)
  return text.replaceAll(token, '<token>').replaceAll(secret, '<token>')
}

// Only the kind of the failure is told. Messages contain the URL.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('type' in error && typeof error.type === 'string') return error.type
  return error.name
}

const apiError = z.object({
  ok: z.literal(false),
  error_code: z.int(),
  description: z.string().catch(''),
  parameters: z
    .object({
      retry_after: z.number().min(0).optional().catch(undefined),
      migrate_to_chat_id: z.int().optional().catch(undefined),
    })
    .catch({}),
})

/**
 * Checks the response to a call before grammY reads it. The Bot API may leave out the description of an error, and a proxy
 * in between may respond with any JSON. After this check an error has a code, a description and parameters.
 */
const checkResponse: Transformer = async (call, method, payload, signal) => {
  const response = await call(method, payload, signal)
  const { success: isError, data } = apiError.safeParse(response)
  if (isError) return { ...data, parameters: defined(data.parameters) }
  if (isSuccess(response)) return response
  // It is not known whether the same call would fail again.
  throw new ChannelError('unavailable', `What responded to ${method} is not Telegram's Bot API.`)
}

function isSuccess(response: unknown): boolean {
  return typeof response === 'object' && response !== null && 'ok' in response && response.ok === true
}
