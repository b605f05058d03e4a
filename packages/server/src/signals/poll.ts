import { pause } from '@throughline/protocol/internal'

/** How long a lost ring delays anybody, in milliseconds. Everybody who listens also looks as often as this. */
export const pollMs = 2_000

/** Waits until it is time to look again, or until the signal aborts. The timer does not keep the process alive. */
export function pollPause(signal?: AbortSignal): Promise<void> {
  return pause(pollMs, signal, { ref: false })
}

/** Looks every two seconds as long as somebody waits, for rings that were lost. */
export class Poll {
  readonly #isNeeded: () => boolean
  readonly #look: () => Promise<void>
  #isRunning = false

  constructor(isNeeded: () => boolean, look: () => Promise<void>) {
    this.#isNeeded = isNeeded
    this.#look = look
  }

  /** To be called whenever somebody begins to wait. */
  start(): void {
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#isNeeded()) {
      await pollPause()
      await this.#look()
    }
    this.#isRunning = false
  }
}
