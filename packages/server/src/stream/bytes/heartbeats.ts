/** Sends one heartbeat to one stream. Must not throw. */
export type Beat = () => void

/** The times of heartbeats. */
export interface HeartbeatOptions {
  /** How long a stream may be idle before it gets a heartbeat, in milliseconds. */
  readonly heartbeatMs: number
  /** Returns the time in milliseconds. It must not go backwards. Default: `performance.now`. */
  readonly now?: () => number
}

/**
 * Sends heartbeats to all idle streams of a server, with one timer.
 *
 * The streams are in the order of their last writes, so a tick looks only at those that are due. A Map keeps that order:
 * each write moves its stream to the end.
 */
export class Heartbeats {
  readonly #heartbeatMs: number
  readonly #now: () => number
  readonly #lastWrites = new Map<Beat, number>()
  #timer: NodeJS.Timeout | undefined

  constructor({ heartbeatMs, now = () => performance.now() }: HeartbeatOptions) {
    this.#heartbeatMs = heartbeatMs
    this.#now = now
  }

  /** The stream was opened, or written to. Its next heartbeat comes when it has been idle since now. */
  wrote(beat: Beat): void {
    this.#move(beat)
    if (this.#timer === undefined) this.#startTimer(this.#heartbeatMs)
  }

  /** The stream has ended. It gets no more heartbeats. */
  remove(beat: Beat): void {
    this.#lastWrites.delete(beat)
    if (this.#lastWrites.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly #tick = (): void => {
    this.#timer = undefined
    const due = this.#now() - this.#heartbeatMs
    for (const [beat, lastWrite] of this.#lastWrites) {
      if (lastWrite > due) {
        // Streams that are due at almost the same time get their heartbeats in one tick.
        this.#startTimer(Math.max(lastWrite - due, this.#heartbeatMs / 100))
        return
      }
      // The heartbeat is a write too, so the stream goes to the end. The loop returns before it comes there.
      this.#move(beat)
      beat()
    }
  }

  #move(beat: Beat): void {
    this.#lastWrites.delete(beat)
    this.#lastWrites.set(beat, this.#now())
  }

  #startTimer(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#tick, delayMs)
  }
}
