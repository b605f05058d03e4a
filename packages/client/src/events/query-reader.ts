import { type ParsedQueryEvent, parseQueryEvent } from '@throughline/protocol'
import { createParser } from 'eventsource-parser'

/** One event of the event API. */
export interface ReadEvent {
  readonly parsed: ParsedQueryEvent
  /** The event's data as it came. */
  readonly raw: string
}

/** Reads the events of one connection. */
export interface QueryReader {
  /** Takes the next piece of text, which may end anywhere. Returns the events that are complete now. */
  read(text: string): readonly ReadEvent[]
  /** Whether the server has sent everything: a `: done` comment after the end of the answer. */
  readonly isDone: boolean
}

/** Returns a reader for one connection. `onRaw` gets each event and each comment as a line of text. */
export function createQueryReader(onRaw: (line: string) => void): QueryReader {
  let events: ReadEvent[] = []
  let hasFinal = false
  let hasEnd = false
  let isDone = false
  const parser = createParser({
    onEvent({ data: raw }) {
      if (isDone) return
      onRaw(`data: ${raw}`)
      const parsed = parseQueryEvent(raw)
      const type = parsed.type === 'event' ? parsed.event.type : undefined
      // After `final` only `usage` may follow. Any other event is reported as invalid, so the answer does not change.
      const isLate = hasFinal && type !== undefined && type !== 'usage'
      hasFinal ||= type === 'final'
      hasEnd ||= isEnd(parsed)
      events.push({ parsed: isLate ? late(type) : parsed, raw })
    },
    onComment(comment) {
      if (isDone) return
      onRaw(`: ${comment.trim()}`)
      // Only after the end of the answer: some servers send this comment at the beginning too.
      isDone = hasEnd && comment.trim() === 'done'
    },
  })
  return {
    read(text) {
      events = []
      parser.feed(text)
      return events
    },
    get isDone() {
      return isDone
    },
  }
}

/** Returns whether this event ends the answer. */
export function isEnd(parsed: ParsedQueryEvent): boolean {
  return parsed.type === 'event' && (parsed.event.type === 'final' || parsed.event.type === 'error')
}

function late(type: string): ParsedQueryEvent {
  return { type: 'invalid', problem: `a ${type} event came after the final one` }
}
