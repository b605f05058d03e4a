import { loopUtilization } from '@throughline/store'

/** How the load of the process is seen. For tests. */
export interface WritePaceOptions {
  /** Returns how busy the event loop was since the last call, from 0 to 1. */
  readonly utilization?: () => number
  /** In milliseconds. */
  readonly now?: () => number
}

/** How long the load is watched before the pace is changed, in milliseconds. */
const periodMs = 100
/** A loop that is busier than this has no room left: what comes now waits for what came before. */
const maxUtilization = 0.9
/** A loop that is less busy than this has room for more writes. */
const minUtilization = 0.75
/** By how much the gap grows and shrinks, and how long it gets at most, in milliseconds. */
const growMs = 40
const shrinkMs = 20
const maxGapMs = 80

/**
 * The pace at which runs write to the log while the process is overloaded. Each write costs the same, however many deltas
 * are in it. So when the event loop is busy all the time, runs leave a gap between two writes, and join the deltas that
 * come in it. Then the server does less per delta, and does not fall behind. With room to spare there is no gap.
 */
export class WritePace {
  readonly #utilization: () => number
  readonly #now: () => number
  #gapMs = 0
  #seenAt: number

  constructor({ utilization = loopUtilization(), now = () => performance.now() }: WritePaceOptions = {}) {
    this.#utilization = utilization
    this.#now = now
    this.#seenAt = now()
  }

  /** Returns how long a run waits between two writes now, in milliseconds. */
  readonly gapMs = (): number => {
    const now = this.#now()
    if (now - this.#seenAt < periodMs) return this.#gapMs
    this.#seenAt = now
    const utilization = this.#utilization()
    if (utilization > maxUtilization) this.#gapMs = Math.min(maxGapMs, this.#gapMs + growMs)
    else if (utilization < minUtilization) this.#gapMs = Math.max(0, this.#gapMs - shrinkMs)
    return this.#gapMs
  }
}
