import type { APICallError } from 'ai'

const maxChars = 500

/**
 * Returns a provider's error message when a log may have it. Providers repeat what they were sent. So a message that
 * contains anything of the request is left out, and in other messages what looks like a key is covered.
 */
export function providerWords({ message, requestBodyValues }: APICallError): string | undefined {
  if (message.length > maxChars) return undefined
  const { texts, model } = readRequest(requestBodyValues)
  if (repeats(message, texts)) return undefined
  return message.replace(/[A-Za-z0-9_-]{20,}/g, word => (word === model || !/\d/.test(word) ? word : '[…]'))
}

/** Returns the short code in a provider's error body, such as `model_not_found`. */
export function providerCode(data: unknown): string | undefined {
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
