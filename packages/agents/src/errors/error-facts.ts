import { shorten } from '@throughline/protocol/shorten'
import { AISDKError, APICallError, RetryError } from 'ai'
import { providerCode, providerWords } from './provider-words.ts'

/** What a log may know about an error. */
export interface ErrorFacts {
  /** The error's name. */
  readonly type: string
  readonly message?: string
  readonly code?: string | number
  /** Of an HTTP response. */
  readonly statusCode?: number
  /** Without user, query and fragment. */
  readonly url?: string
  /** The provider's own code, such as `model_not_found`. */
  readonly providerCode?: string
  /** Why no further attempt was made, and how many were. */
  readonly reason?: string
  readonly attempts?: number
  /** Where it was thrown: the frames alone, since a stack begins with the message. */
  readonly stack?: string
  readonly cause?: ErrorFacts
}

/**
 * An error for the log. This is a list of fields that may be logged, not a list of fields that may not: errors of
 * providers carry the whole request (instructions, conversation, tools) and the whole response in fields, and nobody
 * knows what the next version of a library adds.
 */
export function errorFacts(error: unknown): ErrorFacts {
  return factsOf(error, 0)
}

const maxCauses = 5
const maxMessageChars = 500
const maxFrames = 10

function factsOf(error: unknown, depth: number): ErrorFacts {
  // A text or a plain object comes from a provider: nothing of ours is thrown like that. Its words are not logged.
  if (!(error instanceof Error)) return { type: error === null ? 'null' : typeof error, ...codes(error) }
  const cause = causeOf(error)
  return {
    type: slug(error.name) ?? 'Error',
    ...optional('message', messageOf(error)),
    ...codes(error),
    ...(AISDKError.isInstance(error) ? requestFacts(error) : {}),
    ...(RetryError.isInstance(error) ? { reason: error.reason, attempts: error.errors.length } : {}),
    ...optional('stack', framesOf(error)),
    ...(cause === undefined || depth >= maxCauses ? {} : { cause: factsOf(cause, depth + 1) }),
  }
}

function messageOf(error: Error): string | undefined {
  // Its message repeats that of the last error, which is its cause here.
  if (RetryError.isInstance(error)) return undefined
  if (APICallError.isInstance(error)) return providerWords(error)
  // These say first what went wrong, and after a colon with which value: an answer's text, or a request.
  const message = AISDKError.isInstance(error) ? error.message.split(':', 1).join('') : error.message
  return shorten(message, maxMessageChars)
}

function causeOf(error: Error): unknown {
  return RetryError.isInstance(error) ? error.lastError : error.cause
}

/** What errors of the AI SDK tell about an HTTP exchange. */
function requestFacts(error: Error): Pick<ErrorFacts, 'statusCode' | 'url' | 'providerCode'> {
  const fields = new Map<string, unknown>(Object.entries(error))
  const [statusCode, url] = [fields.get('statusCode'), fields.get('url')]
  const address = typeof url === 'string' ? URL.parse(url) : null
  return {
    ...(typeof statusCode === 'number' ? { statusCode } : {}),
    ...(address === null
      ? {}
      : { url: `${address.protocol}//${address.host}${address.pathname}`.slice(0, 300) }),
    ...optional('providerCode', providerCode(fields.get('data'))),
  }
}

function codes(error: unknown): Pick<ErrorFacts, 'code'> {
  if (typeof error !== 'object' || error === null || !('code' in error)) return {}
  const code = typeof error.code === 'number' ? error.code : slug(error.code)
  return code === undefined ? {} : { code }
}

function framesOf({ stack = '', message }: Error): string | undefined {
  const start = stack.indexOf(message)
  // The message was changed after the error was made, so where the frames begin is not known.
  if (start === -1) return undefined
  const frames = stack
    .slice(start + message.length)
    .split('\n')
    .filter(line => /^\s+at /.test(line))
  return frames.length === 0 ? undefined : frames.slice(0, maxFrames).join('\n')
}

/** A word that names something, such as `ECONNRESET`; nothing else may come along under its name. */
function slug(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(value) ? value : undefined
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  const fields: { [K in Key]?: string } = {}
  if (value !== undefined) fields[key] = value
  return fields
}
