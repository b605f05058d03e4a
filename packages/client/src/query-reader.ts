import { type ParsedQueryEvent, parseQueryEvent } from '@throughline/protocol/query-event'
import { createParser } from 'eventsource-parser'

export interface ReadEvent {
  readonly parsed: ParsedQueryEvent
  readonly raw: string
}

/** Reads the events of one connection from text as it comes, wherever the text is split. */
export interface QueryReader {
  read(text: string): readonly ReadEvent[]
  /** Whether the server has said that nothing more will come. */
  readonly isDone: boolean
}

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
      // A final answer stays what it is: what it used may follow, and nothing else.
      const isLate = hasFinal && type !== undefined && type !== 'usage'
      hasFinal ||= type === 'final'
      hasEnd ||= isEnd(parsed)
      events.push({ parsed: isLate ? late(type) : parsed, raw })
    },
    onComment(comment) {
      if (isDone) return
      onRaw(`: ${comment.trim()}`)
      // Some servers say it at the beginning too.
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

/** Whether the answer has come to its end with this event. */
export function isEnd(parsed: ParsedQueryEvent): boolean {
  return parsed.type === 'event' && (parsed.event.type === 'final' || parsed.event.type === 'error')
}

function late(type: string): ParsedQueryEvent {
  return { type: 'invalid', problem: `a ${type} event came after the final one` }
}
