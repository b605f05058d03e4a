import { GrammyError, HttpError } from 'grammy'
import { ChannelError } from '../channel.ts'

/** Does something with the Bot API. Whatever goes wrong becomes a `ChannelError` that does not tell the token. */
export async function withChannelErrors<Result>(token: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    // Without its cause: that has the address in it, and the address has the token in it.
    throw channelErrorOf(error, token)
  }
}

function channelErrorOf(error: unknown, token: string): ChannelError {
  if (error instanceof ChannelError) return error
  if (error instanceof GrammyError) return errorOfAnswer(error, token)
  if (error instanceof HttpError) {
    return new ChannelError(
      'unavailable',
      `Telegram cannot be reached: ${scrub(reasonOf(error.error), token)}.`,
    )
  }
  // A wait that was cut short, for example.
  const reason = error instanceof Error ? error.message : String(error)
  return new ChannelError('unavailable', `Telegram was not asked: ${scrub(reason, token)}.`)
}

function errorOfAnswer(
  { error_code: status, description, parameters }: GrammyError,
  token: string,
): ChannelError {
  const said = `Telegram answered ${status}${description === '' ? '' : `: ${scrub(description, token)}`}.`
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
  // To a token it has never given out, Telegram says 404.
  const isTokenWrong = status === 401 || status === 404
  return new ChannelError('refused', isTokenWrong ? `${said} Check TELEGRAM_BOT_TOKEN.` : said)
}

function scrub(text: string, token: string): string {
  const secret = token.slice(token.indexOf(':') + 1)
  return text.replaceAll(token, '<token>').replaceAll(secret, '<token>')
}

// Only what names the kind of failure: messages have the address in them.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('type' in error && typeof error.type === 'string') return error.type
  return error.name
}
