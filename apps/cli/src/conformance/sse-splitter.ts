/** An SSE event as it was received. */
export interface ReceivedEvent {
  /** The bytes of the event as text, with the blank line at its end. */
  readonly raw: string
  readonly id: string | undefined
  /** The type of the event; `undefined` for an ordinary one. */
  readonly event: string | undefined
  readonly data: string
  /** When its last byte arrived, in milliseconds of `performance.now()`. */
  readonly arrivedAt: number
}

/** A piece of an SSE stream that ends with a blank line: an event, or something that parsers ignore. */
export type SseBlock =
  | { readonly type: 'event'; readonly event: ReceivedEvent }
  | { readonly type: 'comment' }

/**
 * Splits the text of an SSE stream into blocks. It keeps the bytes of every event, because a resumed stream must have the
 * same bytes; parsers give only the fields.
 */
export class SseSplitter {
  #rest = ''

  /** Takes more text. Returns the blocks that it completes. */
  push(text: string, arrivedAt: number): readonly SseBlock[] {
    const blocks = (this.#rest + text).split(/(?<=\n\n|\r\n\r\n)/)
    const last = blocks.at(-1) ?? ''
    const isWhole = /(\n\n|\r\n\r\n)$/.test(last)
    this.#rest = isWhole ? '' : last
    return (isWhole ? blocks : blocks.slice(0, -1)).map(raw => blockOf(raw, arrivedAt))
  }
}

function blockOf(raw: string, arrivedAt: number): SseBlock {
  const lines = raw.split(/\r?\n/)
  const data = fieldOf(lines, 'data')
  if (data === undefined) return { type: 'comment' }
  return {
    type: 'event',
    event: { raw, id: fieldOf(lines, 'id'), event: fieldOf(lines, 'event'), data, arrivedAt },
  }
}

function fieldOf(lines: readonly string[], field: string): string | undefined {
  const found = lines.filter(line => line.startsWith(`${field}:`))
  if (found.length === 0) return undefined
  return found.map(line => line.slice(field.length + 1).replace(/^ /, '')).join('\n')
}
