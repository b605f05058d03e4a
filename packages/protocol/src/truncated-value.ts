import { isRecord } from './chunk.ts'

/**
 * What stands in the place of a tool's output or input that was larger than it may be: its beginning, and how much of
 * it that is. Models read it as JSON, pages show it in words.
 */
export interface TruncatedValue {
  readonly type: 'truncated'
  /** The setting that it was larger than: for one value, or for all outputs of an answer together. */
  readonly limit: TruncationLimit
  /** The size of the whole value: of a text in UTF-8, of anything else as JSON. */
  readonly bytes: number
  readonly keptBytes: number
  /** The first `keptBytes` of the text or JSON. */
  readonly text: string
}

export type TruncationLimit = 'maxToolOutputBytes' | 'maxRunToolOutputBytes'

/** The value as a truncated one; `undefined` when it is any other. */
export function truncatedIn(value: unknown): TruncatedValue | undefined {
  if (!isRecord(value) || value['type'] !== 'truncated') return undefined
  const { limit, bytes, keptBytes, text } = value
  const isNamed = limit === 'maxToolOutputBytes' || limit === 'maxRunToolOutputBytes'
  if (!isNamed || typeof bytes !== 'number' || typeof keptBytes !== 'number') return undefined
  return typeof text === 'string' ? { type: 'truncated', limit, bytes, keptBytes, text } : undefined
}
