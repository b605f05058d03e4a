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

function oneLine(field: string, value: string): string {
  if (/[\r\n\0]/.test(value)) {
    throw new RangeError(
      `A server-sent event's ${field} must be one line without CR, LF or NUL. Encode it as JSON first.`,
    )
  }
  return value
}
