import { GrammyError, HttpError } from 'grammy'
import { ChannelError } from '../channel.ts'

/**
 * Returns the `ChannelError` for a failed call of the Bot API. It does not contain the token. The cause is left out: it
 * contains the URL, and the URL contains the token.
 */
export function channelErrorOf(error: unknown, token: string): ChannelError {
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
