import type { APICallError } from 'ai'

const maxChars = 500

/**
 * What a provider says went wrong, as far as a log may have it. Providers repeat what they were sent. So their words
 * are left out when anything of the request stands in them, and what looks like a key is covered in what is left.
 */
export function providerWords({ message, requestBodyValues }: APICallError): string | undefined {
  if (message.length > maxChars) return undefined
  const { texts, model } = readRequest(requestBodyValues)
  if (repeats(message, texts)) return undefined
  return message.replace(/[A-Za-z0-9_-]{20,}/g, word => (word === model || !/\d/.test(word) ? word : '[…]'))
}

/** The short code in a provider's error body, such as `model_not_found`. */
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
  /** What people, agents and tools have said in it. */
  readonly texts: readonly string[]
  readonly model: string | undefined
}

// Under these names providers are sent what was said. Under others stand words such as "user" and "object".
const saidKeys: ReadonlySet<string> = new Set([
  ...['content', 'text', 'instructions', 'system', 'input', 'arguments', 'output', 'description', 'thinking'],
])

function readRequest(body: unknown): RequestText {
  const texts: string[] = []
  // Without recursion: a request can be nested deeper than a stack.
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

/** Whether a text of the request stands in the message, or a longer run of letters and digits of one does. */
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

/** Letters and digits alone, so that quotes and escapes hide nothing. */
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
