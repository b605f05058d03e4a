/** One server-sent event. `data` must be one line. JSON always is: it has no raw line breaks. */
export interface SseEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/**
 * Returns the bytes of one event, as text. Throws a `RangeError` when a field contains CR, LF or NUL. A line break
 * could end the event early and inject another one. None of our values has one, so this throws and does not escape it.
 */
export function encodeSse({ id, event, data }: SseEvent): string {
  const idLine = id === undefined ? '' : `id: ${oneLine('id', id)}\n`
  const eventLine = event === undefined ? '' : `event: ${oneLine('event', event)}\n`
  return `${idLine}${eventLine}data: ${oneLine('data', data)}\n\n`
}

/** Returns an SSE comment. Parsers ignore it; it keeps an idle connection alive. Throws like `encodeSse`. */
export function encodeSseComment(text: string): string {
  return `: ${oneLine('comment', text)}\n\n`
}

/**
 * Returns the field that says how long an `EventSource` waits before it connects again. It is no event: parsers give
 * nothing to their caller for it. `ms`: milliseconds. Throws a `RangeError` unless it is a whole number from 0 on.
 */
export function encodeSseRetry(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw new RangeError(`The retry time of server-sent events must be whole milliseconds, not ${ms}.`)
  return `retry: ${ms}\n\n`
}

function oneLine(field: string, value: string): string {
  if (/[\r\n\0]/.test(value)) {
    throw new RangeError(
      `A server-sent event's ${field} must be one line without CR, LF or NUL. Encode it as JSON first.`,
    )
  }
  return value
}
