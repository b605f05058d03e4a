import { defined, shorten } from '@throughline/protocol/internal'
import { AISDKError, APICallError, RetryError } from 'ai'

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
  return defined({ code })
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

const maxChars = 500

/**
 * Returns a provider's error message when a log may have it. Providers repeat what they were sent. So a message that
 * contains anything of the request is left out, and in other messages what looks like a key is covered.
 */
function providerWords({ message, requestBodyValues }: APICallError): string | undefined {
  if (message.length > maxChars) return undefined
  const { texts, model } = readRequest(requestBodyValues)
  if (repeats(message, texts)) return undefined
  return message.replace(/[A-Za-z0-9_-]{20,}/g, word => (word === model || !/\d/.test(word) ? word : '[…]'))
}

/** Returns the short code in a provider's error body, such as `model_not_found`. */
function providerCode(data: unknown): string | undefined {
  const body = fieldsOf(data)
  const error = fieldsOf(body['error'])
  const candidates = [error['code'], error['status'], error['type'], body['code'], body['type']]
  return candidates.find(isCode)
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z_.-]{1,63}$/.test(value)
}

interface RequestText {
  /** The texts of people, agents and tools in it. */
  readonly texts: readonly string[]
  readonly model: string | undefined
}

// In these fields providers are sent texts of people, agents and tools. Other fields have words such as "user".
const saidKeys: ReadonlySet<string> = new Set([
  ...['content', 'text', 'instructions', 'system', 'input', 'arguments', 'output', 'description', 'thinking'],
])

function readRequest(body: unknown): RequestText {
  const texts: string[] = []
  // Without recursion, because a request can be nested deeper than the stack allows.
  const waiting: { readonly key: string; readonly value: unknown }[] = [{ key: '', value: body }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { key, value } = next
    if (typeof value === 'string' && (saidKeys.has(key) || value.length >= longRunBytes)) texts.push(value)
    if (Array.isArray(value)) for (const each of value) waiting.push({ key, value: each })
    else for (const [name, each] of Object.entries(fieldsOf(value))) waiting.push({ key: name, value: each })
  }
  const { model } = fieldsOf(body)
  return { texts: texts.filter(text => text !== model), model: typeof model === 'string' ? model : undefined }
}

const longRunBytes = 24
const windowBytes = 16
const minTextBytes = 4

/** Returns whether the message contains a text of the request, or a long run of letters and digits of one. */
function repeats(message: string, texts: readonly string[]): boolean {
  const words = lettersOf(message)
  const said = texts.map(lettersOf)
  if (said.some(each => each.length >= minTextBytes && words.includes(each))) return true
  const all = Buffer.concat(said)
  // Every run of 24 bytes contains a whole window that begins at a multiple of 8.
  for (let start = 0; start + windowBytes <= words.length; start += longRunBytes - windowBytes) {
    if (all.includes(words.subarray(start, start + windowBytes))) return true
  }
  return false
}

/** Returns only the letters and digits, so that quotes and escapes make no difference. */
function lettersOf(text: string): Buffer {
  return Buffer.from(
    text
      .replace(/\\[nrt]/g, '')
      .replace(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase(),
  )
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
