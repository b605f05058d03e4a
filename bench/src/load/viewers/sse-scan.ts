import type { AnswerPlan } from '../answer-plan.ts'

const deltaMark = Buffer.from('"delta":"')
const eventEnd = Buffer.from('\n\n')
const idMark = Buffer.from('id: ')
const idLine = Buffer.from('\nid: ')
const nothing = Buffer.alloc(0)
const quote = 34
const lineBreak = 10
const firstDigit = 48

/** What a viewer does with what it finds in a stream. */
export interface ScanHandlers {
  /** Called for each delta with its number. */
  delta(number: number): void
  /** Called for each SSE event that has deltas in it. */
  event(): void
}

/**
 * Finds the numbers of the deltas in the bytes of a stream. Only whole SSE events are read; the bytes of a last event that
 * is not complete are kept. It neither parses JSON nor keeps the events, as `SseRecorder` does, because a load generator must
 * cost much less than the server.
 */
export class SseScan {
  readonly #chars: number
  readonly #lastNumber: number
  readonly #handlers: ScanHandlers
  #hasLastDelta = false
  #rest: Buffer = nothing
  /** The id of the last whole event. Empty before the first one. */
  lastEventId = ''
  /** True after the event that ends the answer, if all deltas came before it. */
  hasFinished = false

  constructor({ chars, deltas }: Pick<AnswerPlan, 'chars' | 'deltas'>, handlers: ScanHandlers) {
    this.#chars = chars
    this.#lastNumber = deltas - 1
    this.#handlers = handlers
  }

  /** The stream goes on in another connection. The beginning of an event that was cut comes again there. */
  restart(): void {
    this.#rest = nothing
  }

  read(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const end = all.lastIndexOf(eventEnd)
    const restStart = end === -1 ? 0 : end + eventEnd.length
    // A copy: the buffer belongs to the socket, which writes over it.
    this.#rest = restStart === all.length ? nothing : Buffer.from(all.subarray(restStart))
    if (end === -1) return
    this.#readDeltas(all, end)
    this.#readId(all, end)
    if (this.#hasLastDelta) this.hasFinished ||= all.subarray(0, end).includes('"type":"finish"')
  }

  #readDeltas(all: Buffer, end: number): void {
    let at = all.indexOf(deltaMark)
    while (at !== -1 && at < end) {
      const from = at + deltaMark.length
      const to = all.indexOf(quote, from)
      for (let text = from; text < to; text += this.#chars)
        this.#found(numberAt(all, text + 1, text + this.#chars))
      this.#handlers.event()
      at = all.indexOf(deltaMark, to)
    }
  }

  #found(number: number): void {
    this.#hasLastDelta ||= number === this.#lastNumber
    this.#handlers.delta(number)
  }

  #readId(all: Buffer, end: number): void {
    const lineAt = all.lastIndexOf(idLine, end)
    // The first event has no line before it.
    const isFirst = lineAt === -1 && all.indexOf(idMark) === 0
    if (lineAt === -1 && !isFirst) return
    const from = isFirst ? idMark.length : lineAt + idLine.length
    this.lastEventId = all.toString('latin1', from, all.indexOf(lineBreak, from))
  }
}

function numberAt(bytes: Buffer, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at += 1) {
    const digit = (bytes[at] ?? 0) - firstDigit
    if (digit < 0 || digit > 9)
      throw new Error(`A delta has no number: "${bytes.toString('latin1', from - 1, to)}".`)
    number = number * 10 + digit
  }
  return number
}
