import type { TruncatedValue, TruncationLimit } from '@throughline/protocol/truncated-value'
import type { HideSecrets } from '../errors/hide-secrets.ts'
import { toJson } from './json-value.ts'

export interface SizeLimit {
  readonly maxBytes: number
  readonly limit: TruncationLimit
  /** Covers secrets before anything is cut: half a secret could not be recognised. */
  readonly hide?: HideSecrets | undefined
}

/** A value that is small enough to be written down, and its size. */
export interface SizedValue {
  readonly value: unknown
  readonly bytes: number
}

/** The value as it is when it is small enough, else its beginning with a note of what is missing. */
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

/** As much of a text as fits, in whole characters. */
function firstBytes(text: string, maxBytes: number): { readonly text: string; readonly bytes: number } {
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return { text: text.slice(0, read), bytes: written }
}

const maxErrorChars = 16_000

/** The words of an error, with a last line that says so when they are not all. */
export function cutErrorText(text: string, maxChars = maxErrorChars): string {
  if (text.length <= maxChars) return text
  const kept = text.slice(0, maxChars).toWellFormed()
  return `${kept}\n[Cut here: these are the first ${maxChars} of ${text.length} characters.]`
}
