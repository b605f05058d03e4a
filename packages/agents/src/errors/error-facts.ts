import { shorten } from '@throughline/protocol/internal'
import { AISDKError, APICallError, RetryError } from 'ai'
import { providerCode, providerWords } from './provider-words.ts'

/** What the server's log may have of an error. */
export interface ErrorFacts {
  /** The error's name. */
  readonly type: string
  readonly message?: string
  readonly code?: string | number
  /** The status of the HTTP response. */
  readonly statusCode?: number
  /** The address of the request, without user, query and fragment. */
  readonly url?: string
  /** The provider's own code, such as `model_not_found`. */
  readonly providerCode?: string
  /** Why there was no further attempt. */
  readonly reason?: string
  /** How many attempts there were. */
  readonly attempts?: number
  /** Where the error was thrown: the lines of the stack without the message. */
  readonly stack?: string
  readonly cause?: ErrorFacts
}

/**
 * Returns what the log may have of an error. This is an allow-list of fields: errors of providers carry the whole request
 * (instructions, conversation, tools) and the whole response, and the next version of a library may add more.
 */
export function errorFacts(error: unknown): ErrorFacts {
  return factsOf(error, 0)
}

const maxCauses = 5
const maxMessageChars = 500
const maxStackLines = 10

function factsOf(error: unknown, depth: number): ErrorFacts {
  // Our own code throws errors only. A thrown text or plain object comes from a provider, so its words are not logged.
  if (!(error instanceof Error)) return { type: error === null ? 'null' : typeof error, ...codes(error) }
  const cause = causeOf(error)
  return {
    type: slug(error.name) ?? 'Error',
    ...optional('message', messageOf(error)),
    ...codes(error),
    ...(AISDKError.isInstance(error) ? requestFacts(error) : {}),
    ...(RetryError.isInstance(error) ? { reason: error.reason, attempts: error.errors.length } : {}),
    ...optional('stack', stackLines(error)),
    ...(cause === undefined || depth >= maxCauses ? {} : { cause: factsOf(cause, depth + 1) }),
  }
}

function messageOf(error: Error): string | undefined {
  // Its message repeats that of the last error, which is logged as the cause.
  if (RetryError.isInstance(error)) return undefined
  if (APICallError.isInstance(error)) return providerWords(error)
  // These messages have a value after the colon, such as the text of an answer. It is not logged.
  const message = AISDKError.isInstance(error) ? error.message.split(':', 1).join('') : error.message
  return shorten(message, maxMessageChars)
}

function causeOf(error: Error): unknown {
  return RetryError.isInstance(error) ? error.lastError : error.cause
}

/** Returns what an error of the AI SDK says about its HTTP request. */
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

function stackLines({ stack = '', message }: Error): string | undefined {
  const start = stack.indexOf(message)
  // The message was changed after the error was made, so it is not known where it ends in the stack.
  if (start === -1) return undefined
  const lines = stack
    .slice(start + message.length)
    .split('\n')
    .filter(line => /^\s+at /.test(line))
  return lines.length === 0 ? undefined : lines.slice(0, maxStackLines).join('\n')
}

/** Returns the value when it is a short identifier such as `ECONNRESET`. Other values may contain anything. */
function slug(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(value) ? value : undefined
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  const fields: { [K in Key]?: string } = {}
  if (value !== undefined) fields[key] = value
  return fields
}
