import type { ParsedQueryEvent } from '@throughline/protocol'

/** What a `QueryMeter` has counted and measured. */
export interface QueryStatistics {
  /** The number of all events. */
  readonly total: number
  /** The number of events by type, unknown types included. Events that could not be read count as `invalid`. */
  readonly counts: Readonly<Record<string, number>>
  /** Milliseconds from the start of the query to the first text that is not empty; `undefined` before that. */
  readonly firstTokenMs: number | undefined
  /** Milliseconds from the start of the query to the `final` event; `undefined` before that. */
  readonly finalMs: number | undefined
}

/** Counts the events of a query and measures times. Give it to one query at a time, as the option `meter`. */
export class QueryMeter {
  readonly #now: () => number
  #counts = new Map<string, number>()
  #begunAt: number
  #firstTokenMs: number | undefined
  #finalMs: number | undefined

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now
    this.#begunAt = now()
  }

  /** Starts to count and to measure again, for a new query. */
  begin(): void {
    this.#counts = new Map()
    this.#firstTokenMs = undefined
    this.#finalMs = undefined
    this.#begunAt = this.#now()
  }

  /** Counts one event. */
  take(parsed: ParsedQueryEvent): void {
    const type = typeOf(parsed)
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1)
    const elapsedMs = this.#now() - this.#begunAt
    if (isText(parsed)) this.#firstTokenMs ??= elapsedMs
    if (type === 'final') this.#finalMs ??= elapsedMs
  }

  /** Returns the counts and times so far. */
  read(): QueryStatistics {
    return {
      total: [...this.#counts.values()].reduce((sum, count) => sum + count, 0),
      counts: Object.fromEntries(this.#counts),
      firstTokenMs: this.#firstTokenMs,
      finalMs: this.#finalMs,
    }
  }
}

function typeOf(parsed: ParsedQueryEvent): string {
  switch (parsed.type) {
    case 'event':
      return parsed.event.type
    case 'unknown':
      return parsed.eventType
    case 'invalid':
      return 'invalid'
  }
}

function isText(parsed: ParsedQueryEvent): boolean {
  if (parsed.type !== 'event') return false
  const { event } = parsed
  if (event.type === 'text_delta') return event.delta !== ''
  return event.type === 'text' && event.content !== ''
}
