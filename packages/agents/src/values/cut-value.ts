import type { TruncatedValue, TruncationLimit } from '@throughline/protocol'
import type { HideSecrets } from '../errors/hide-secrets.ts'
import { toJson } from './json-value.ts'

/** How large a value may be, and which setting says so. */
export interface SizeLimit {
  readonly maxBytes: number
  readonly limit: TruncationLimit
  /** Covers secrets. It is called before the cut, because half a secret would not be recognised. */
  readonly hide?: HideSecrets | undefined
}

/** A value that is small enough to be written. */
export interface SizedValue {
  readonly value: unknown
  readonly bytes: number
}

/** Returns the value itself when it is small enough, otherwise its beginning with a note about what is missing. */
export function cutValue(value: unknown, { maxBytes, limit, hide = asItIs }: SizeLimit): SizedValue {
  const original = typeof value === 'string' ? value : toJson(value)
  const text = hide(original)
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) {
    if (text === original) return { value, bytes }
    return { value: typeof value === 'string' ? text : JSON.parse(text), bytes }
  }
  const kept = firstBytes(text, maxBytes)
  const cut: TruncatedValue = { type: 'truncated', limit, bytes, keptBytes: kept.bytes, text: kept.text }
  return { value: cut, bytes: kept.bytes }
}

const asItIs: HideSecrets = text => text

/** Returns as much of a text as fits, without half characters. */
function firstBytes(text: string, maxBytes: number): { readonly text: string; readonly bytes: number } {
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return { text: text.slice(0, read), bytes: written }
}

const maxErrorChars = 16_000

/** Returns an error's text. When it is too long, returns its beginning and a line that says so. */
export function cutErrorText(text: string, maxChars = maxErrorChars): string {
  if (text.length <= maxChars) return text
  const kept = text.slice(0, maxChars).toWellFormed()
  return `${kept}\n[Cut here: these are the first ${maxChars} of ${text.length} characters.]`
}
