import { encodeSse, formatPosition, type Position } from '@throughline/protocol'

/** What a viewer who comes back has seen already. */
export interface SeenEvents {
  /** The viewer has everything up to here. */
  readonly after: Position
  /** And how many SSE events of the entry after that position. */
  readonly events: number
}

/**
 * Returns the SSE events of an entry that becomes any number of values, without those that the viewer has seen.
 *
 * The id of an entry's last event is the position after the entry, `epoch.seq`. The ids of the events before it are the
 * position before the entry and a count from 1: `epoch.seq.n`.
 */
export function numberedEvents(
  seq: number,
  values: readonly unknown[],
  { after, events }: SeenEvents,
): readonly string[] {
  if (seq <= after.seq) return []
  const seen = seq === after.seq + 1 ? events : 0
  const { epoch } = after
  // A shortcut: almost every entry becomes exactly one value.
  if (values.length === 1 && seen === 0) return [entryEvent(epoch, seq, values[0])]
  const before = formatPosition({ epoch, seq: seq - 1 })
  const last = values.length - 1
  return values
    .map((value, index) =>
      index === last ? entryEvent(epoch, seq, value) : event(`${before}.${index + 1}`, value),
    )
    .slice(seen)
}

/** Returns the SSE event of an entry that becomes one value. */
export function entryEvent(epoch: string, seq: number, value: unknown): string {
  return event(formatPosition({ epoch, seq }), value)
}

/** Takes the id of a numbered event apart: a position, and how many events of the next entry were seen. */
export function parseEventId(id: string): { readonly position: string; readonly events: number } {
  const [, position = id, events = '0'] = /^([^.]+\.[^.]+)\.([1-9]\d{0,5})$/.exec(id) ?? []
  return { position, events: Number(events) }
}

/**
 * Returns the SSE events with which a stream ends where its run waits, without those that the viewer has seen. They are
 * not in the log. Their ids are the position of the wait and a count from 1 with a `w`: `epoch.seq.w1`. So none of them is
 * taken for an event of the next entry.
 */
export function waitEvents(position: Position, values: readonly unknown[], seen: number): readonly string[] {
  const at = formatPosition(position)
  return values.map((value, index) => event(`${at}.w${index + 1}`, value)).slice(seen)
}

/** Takes the id of an event at a wait apart. Returns `undefined` for every other id. */
export function parseWaitEventId(
  id: string,
): { readonly position: string; readonly events: number } | undefined {
  const [, position, events] = /^([^.]+\.[^.]+)\.w([1-9]\d{0,5})$/.exec(id) ?? []
  return position === undefined ? undefined : { position, events: Number(events) }
}

/** An SSE event without an id: nobody can resume after it. */
export function plainEvent(value: unknown): Uint8Array {
  return Buffer.from(encodeSse({ data: JSON.stringify(value) }))
}

function event(id: string, value: unknown): string {
  return encodeSse({ id, data: JSON.stringify(value) })
}
