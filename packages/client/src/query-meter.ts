import type { ParsedQueryEvent } from '@throughline/protocol/query-event'

export interface QueryStatistics {
  readonly total: number
  /** How many of each type came, those of unknown types too; what could not be read counts as `invalid`. */
  readonly counts: Readonly<Record<string, number>>
  /** From the question to the first text that is not empty. */
  readonly firstTokenMs: number | undefined
  readonly finalMs: number | undefined
}

/** Counts and times what a query brings: give it to one query at a time as its `meter`, then read it. */
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

  /** A query is asked: what was counted before is another's. */
  begin(): void {
    this.#counts = new Map()
    this.#firstTokenMs = undefined
    this.#finalMs = undefined
    this.#begunAt = this.#now()
  }

  take(parsed: ParsedQueryEvent): void {
    const type = typeOf(parsed)
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1)
    const elapsedMs = this.#now() - this.#begunAt
    if (isText(parsed)) this.#firstTokenMs ??= elapsedMs
    if (type === 'final') this.#finalMs ??= elapsedMs
  }

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
