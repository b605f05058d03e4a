import { type Entry, parseEntry } from '../entries/entry.ts'
import { type Position, parsePosition } from '../entries/position.ts'
import type { Arrival } from './chat-history.ts'

/** What a stream of server-sent events has up to a blank line: an event, or something that readers ignore. */
export interface SseBlock {
  /** All bytes, with the blank line at their end, in latin1: one character is one byte. */
  readonly bytes: string
  readonly id: string | undefined
  /** The name of the event; `undefined` for an ordinary one. */
  readonly name: string | undefined
  /** `undefined` for a comment, and for the `retry:` field. */
  readonly data: string | undefined
}

/** An event of a stream that was recorded. */
export interface RecordedEvent extends SseBlock {
  readonly data: string
  /** What its id says; `undefined` for an event without a position, such as a reset. */
  readonly position: Position | undefined
  /** How many bytes the stream has up to the end of the event. */
  readonly endsAt: number
  /** When its last byte came, in milliseconds of `performance.now()`. */
  readonly arrivedAt: number
}

/**
 * Records a stream of server-sent events: every byte, when it came, and the events. A stream that is resumed must have the
 * same bytes, and parsers give only the fields. How the bytes get here is up to the caller.
 */
export class SseRecorder {
  readonly arrivals: Arrival[] = []
  readonly events: RecordedEvent[] = []
  /** How many comments and `retry:` fields have come. */
  commentCount = 0
  #bytes = ''
  /** The beginning of a block whose end has not come. */
  #rest = ''

  /** Everything so far, in latin1. */
  get bytes(): string {
    return this.#bytes
  }

  /** Takes the next bytes. A text is in latin1. */
  push(piece: Uint8Array | string, arrivedAt: number = performance.now()): void {
    const text = typeof piece === 'string' ? piece : latin1From(piece)
    const { blocks, rest } = sseBlocksIn(this.#rest + text)
    let endsAt = this.#bytes.length - this.#rest.length
    this.#bytes += text
    this.#rest = rest
    this.arrivals.push({ at: arrivedAt, length: this.#bytes.length })
    for (const block of blocks) {
      endsAt += block.bytes.length
      const { data, id = '' } = block
      if (data === undefined) this.commentCount += 1
      else this.events.push({ ...block, data, position: parsePosition(id), endsAt, arrivedAt })
    }
  }
}

/** Returns the complete events in the body of a stream, which is in latin1. */
export function loggedEventsIn(body: string): readonly RecordedEvent[] {
  const recorder = new SseRecorder()
  recorder.push(body)
  return recorder.events
}

/** Returns the bytes of a stream without comments and the `retry:` field. An event that has only begun stays. */
export function eventBytesIn(body: string): string {
  const { blocks, rest } = sseBlocksIn(body)
  const events = blocks.filter(({ data }) => data !== undefined).map(({ bytes }) => bytes)
  // The last piece may be the beginning of a comment.
  return events.join('') + (isIgnored(rest) || 'retry: '.startsWith(rest) ? '' : rest)
}

/** Returns the entry of an event. Throws when there is none: a log has nothing else. */
export function entryIn({ data }: Pick<RecordedEvent, 'data'>): Entry {
  const parsed = parseEntry(data)
  if (parsed.type === 'invalid')
    throw new TypeError(`Not an entry (${parsed.problem}): ${data.slice(0, 200)}`)
  return parsed.entry
}

/** Takes a stream apart, which is in latin1. `rest` has no blank line yet. A proxy may have changed how lines end. */
export function sseBlocksIn(stream: string): { readonly blocks: readonly SseBlock[]; readonly rest: string } {
  const blocks: SseBlock[] = []
  let start = 0
  for (const { index, 0: end } of stream.matchAll(/\n\r?\n/g)) {
    blocks.push(blockFrom(stream.slice(start, index + end.length)))
    start = index + end.length
  }
  return { blocks, rest: stream.slice(start) }
}

/** Returns the text of bytes that are in latin1. */
export function utf8From(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1
  return new TextDecoder().decode(Uint8Array.from(latin1, character => character.charCodeAt(0)))
}

function blockFrom(bytes: string): SseBlock {
  const lines = bytes.split(/\r?\n/).slice(0, -2)
  const field = (name: string) => {
    const found = lines.filter(line => line.startsWith(`${name}:`))
    return found.length === 0
      ? undefined
      : found.map(line => line.slice(name.length + 1).replace(/^ /, '')).join('\n')
  }
  const data = lines.every(isIgnored) ? undefined : utf8From(field('data') ?? '')
  return { bytes, id: field('id'), name: field('event'), data }
}

function isIgnored(line: string): boolean {
  return line.startsWith(':') || line.startsWith('retry:')
}

/** `String.fromCharCode` takes a limited number of arguments. */
const maxPieceBytes = 8 * 1024

function latin1From(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += maxPieceBytes)
    text += String.fromCharCode(...bytes.subarray(start, start + maxPieceBytes))
  return text
}
