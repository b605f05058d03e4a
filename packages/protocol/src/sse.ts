/** One server-sent event. `data` is one line: JSON has no raw line breaks. */
export interface SseEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/**
 * Writes one event. A line break (or NUL in an id) in any field would let its value inject events of
 * its own, so it is an error here rather than an escape: none of our values may contain one.
 */
export function encodeSse({ id, event, data }: SseEvent): string {
  const idLine = id === undefined ? '' : `id: ${oneLine('id', id)}\n`
  const eventLine = event === undefined ? '' : `event: ${oneLine('event', event)}\n`
  return `${idLine}${eventLine}data: ${oneLine('data', data)}\n\n`
}

/** A comment: keeps an idle connection alive, ignored by every parser. */
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
