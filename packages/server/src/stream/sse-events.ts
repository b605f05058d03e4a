import { formatPosition, type Position } from '@throughline/protocol/position'
import { encodeSse, encodeSseComment } from '@throughline/protocol/sse'

/** Keeps an idle event stream open. Clients ignore comments. */
export const heartbeat = bytesOf(encodeSseComment('heartbeat'))

/** What a viewer who comes back has seen already. */
export interface SeenEvents {
  /** The viewer has everything up to here. */
  readonly after: Position
  /** And so many SSE events of the entry after that position. */
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
): readonly Uint8Array[] {
  if (seq <= after.seq) return []
  const { epoch } = after
  const seen = seq === after.seq + 1 ? events : 0
  return values.slice(seen).map((value, index) => {
    const count = seen + index + 1
    const isLast = count === values.length
    const id = isLast ? formatPosition({ epoch, seq }) : `${formatPosition({ epoch, seq: seq - 1 })}.${count}`
    return bytesOf(encodeSse({ id, data: JSON.stringify(value) }))
  })
}

/** Takes the id of a numbered event apart: a position, and how many events of the next entry were seen. */
export function parseEventId(id: string): { readonly position: string; readonly events: number } {
  const [, position = id, events = '0'] = /^([^.]+\.[^.]+)\.([1-9]\d{0,5})$/.exec(id) ?? []
  return { position, events: Number(events) }
}

/** An SSE event without an id: nobody can resume after it. */
export function plainEvent(value: unknown): Uint8Array {
  return bytesOf(encodeSse({ data: JSON.stringify(value) }))
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text)
}
