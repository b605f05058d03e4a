import { isRecord } from './chunk.ts'

/**
 * Replaces an output or an input of a tool that was too large. Holds the beginning of the value. Models read this
 * object as JSON; pages show it in words.
 */
export interface TruncatedValue {
  readonly type: 'truncated'
  /** The limit that was exceeded: the one for a single value, or the one for all outputs of an answer together. */
  readonly limit: TruncationLimit
  /** The size of the whole value in bytes: a text as UTF-8, anything else as JSON. */
  readonly bytes: number
  /** The size of `text` in bytes. */
  readonly keptBytes: number
  /** The first `keptBytes` of the text or JSON. */
  readonly text: string
}

/** The two settings (`limits`) by which a value is truncated. */
export type TruncationLimit = 'maxToolOutputBytes' | 'maxRunToolOutputBytes'

/** Returns the value when it is a `TruncatedValue`; otherwise `undefined`. */
export function truncatedIn(value: unknown): TruncatedValue | undefined {
  if (!isRecord(value) || value['type'] !== 'truncated') return undefined
  const { limit, bytes, keptBytes, text } = value
  const isNamed = limit === 'maxToolOutputBytes' || limit === 'maxRunToolOutputBytes'
  if (!isNamed || typeof bytes !== 'number' || typeof keptBytes !== 'number') return undefined
  return typeof text === 'string' ? { type: 'truncated', limit, bytes, keptBytes, text } : undefined
}
