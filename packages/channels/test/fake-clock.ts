import { settle } from '@throughline/testing/faults/held-writes'
import type { StartTimer } from '../src/ports/timers.ts'

/** Time that passes when the test says so. */
export class FakeClock {
  now = 0
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()

  readonly startTimer: StartTimer = (run, ms) => {
    const timer = { at: this.now + ms, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  get timerCount(): number {
    return this.#timers.size
  }

  async advance(ms: number): Promise<void> {
    const end = this.now + ms
    await settle()
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#timers.delete(next)
      this.now = next.at
      next.run()
      await settle()
    }
    this.now = end
  }

  #nextUntil(end: number) {
    const [next] = [...this.#timers].sort((one, other) => one.at - other.at)
    return next !== undefined && next.at <= end ? next : undefined
  }
}
