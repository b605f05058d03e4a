import { isRecord } from '../values/fields.ts'
import { parsePartialJson } from '../values/json.ts'
import { memoizeByIdentity } from '../values/memoize-by-identity.ts'
import type { ToolPart } from './message.ts'

/**
 * Returns the input of a tool call, also while it is still arriving. Partial JSON is parsed here, when a reader asks
 * for it, and once per part object. Parsing it for every delta would cost more with every delta.
 */
export function toolInput(part: ToolPart): unknown {
  if (part.input !== undefined || part.rawInput === undefined) return part.input
  return part.inputEncoding === 'text' ? part.rawInput : parsedInput(part)
}

const parsedInput = memoizeByIdentity(({ rawInput = '' }: ToolPart) => parsePartialJson(rawInput))

const closedPrefix = 'Interrupted: '

/** The error text of a call that may have had an effect: the server was restarted while the tool worked. */
export const outcomeUnknownText =
  'The outcome of this call is unknown: the server was restarted while the tool worked. It may or may not have had an ' +
  'effect. Find out before you call it again.'

/** Returns the error text of a call that was closed because it will never have a result. */
export function closedCallText(reason: string): string {
  return closedPrefix + reason
}

/** How a call ended that was closed by the server, and not by its tool. */
interface ClosedCall {
  /** `cut`: it was stopped, or its process died, before it had a result. `unknown`: it may have had an effect. */
  readonly type: 'cut' | 'unknown'
  /** Why it was closed, as a sentence. */
  readonly reason: string
}

/**
 * Returns how the server closed a call; `undefined` when it did not: the tool itself came to an end, a person denied the
 * call, or it is still open.
 */
export function closedCallOf({ state, errorText, approval }: ToolPart): ClosedCall | undefined {
  if (state !== 'output-error' && state !== 'output-denied') return undefined
  const text = errorText ?? approval?.reason ?? ''
  if (text === outcomeUnknownText) return { type: 'unknown', reason: text }
  return text.startsWith(closedPrefix) ? { type: 'cut', reason: text.slice(closedPrefix.length) } : undefined
}

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

/** At most this many pictures of one output are shown. */
const maxPictures = 10

const ownFile = /^\/api\/(?:chats|shared)\/[^/]+\/files\/[^/]+$/

/**
 * Returns the addresses of all pictures in a tool's output, at any depth. Only the files that the server keeps for a
 * chat, or shows with a shared one, count. A tool can name any other address too, and a page must not load it.
 */
export function picturesIn(output: unknown): readonly string[] {
  const found = new Set<string>()
  // Not recursive: a deeply nested output would overflow the stack.
  const waiting: unknown[] = [output]
  while (waiting.length > 0 && found.size < maxPictures) {
    const value = waiting.pop()
    if (typeof value === 'string' && ownFile.test(value)) found.add(value)
    if (typeof value !== 'object' || value === null) continue
    for (const each of Object.values(value).toReversed()) waiting.push(each)
  }
  return [...found]
}
