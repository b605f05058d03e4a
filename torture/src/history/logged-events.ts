import { type Entry, parseEntry } from '@throughline/protocol/entry'
import { parsePosition } from '@throughline/protocol/position'

/** One SSE event of a log. */
export interface LoggedEvent {
  /** `undefined` for an event without a position, such as a reset. */
  readonly position: { readonly epoch: string; readonly seq: number } | undefined
  /** The name of the event; `undefined` for an entry. */
  readonly name: string | undefined
  readonly data: string
  /** All bytes of the event, with the blank line at its end. */
  readonly bytes: string
}

/** Returns the complete SSE events in the body of a stream. Comments and the `retry:` field are no events. */
export function loggedEventsIn(body: string): readonly LoggedEvent[] {
  return blocksIn(body).flatMap(bytes => (isEvent(bytes) ? [eventFrom(bytes)] : []))
}

/** Returns the bytes of a stream without comments and the `retry:` field. An event that has only begun stays. */
export function eventBytesIn(body: string): string {
  return blocksIn(body).filter(isEvent).join('') + begunIn(body)
}

/** Returns the entry of an event. Throws when there is none: a log has nothing else. */
export function entryIn({ data }: LoggedEvent): Entry {
  const parsed = parseEntry(Buffer.from(data, 'latin1').toString())
  if (parsed.type === 'invalid')
    throw new TypeError(`Not an entry (${parsed.problem}): ${data.slice(0, 200)}`)
  return parsed.entry
}

function blocksIn(body: string): readonly string[] {
  return body
    .split('\n\n')
    .slice(0, -1)
    .map(block => `${block}\n\n`)
}

/** The last piece of a body has no blank line yet. It may be the beginning of a comment. */
function begunIn(body: string): string {
  const last = body.slice(body.lastIndexOf('\n\n') === -1 ? 0 : body.lastIndexOf('\n\n') + 2)
  return isEvent(last) && !'retry: '.startsWith(last) ? last : ''
}

function isEvent(block: string): boolean {
  return !block.startsWith(':') && !block.startsWith('retry:')
}

function eventFrom(bytes: string): LoggedEvent {
  const lines = bytes.split('\n')
  const field = (name: string) => lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return {
    position: parsePosition(field('id') ?? ''),
    name: field('event'),
    data: field('data') ?? '',
    bytes,
  }
}
