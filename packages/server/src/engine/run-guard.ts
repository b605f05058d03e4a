import { RunStopped } from '@throughline/agents/internal'
import { serverSentence } from '@throughline/protocol/internal'
import type { ActiveRuns } from './active-runs.ts'
import type { StoreWatch } from './store-watch.ts'

interface GuardOptions {
  readonly active: ActiveRuns
  readonly storeWatch: StoreWatch
}

const lookMs = 1_000

/** While runs go on, looks every second whether what they write is kept. If it is not, interrupts them. */
export class RunGuard {
  readonly #options: GuardOptions
  #isLooking = false

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** To be called when a run has begun. */
  start(): void {
    if (!this.#isLooking) void this.#look()
  }

  async #look(): Promise<void> {
    const { active, storeWatch } = this.#options
    this.#isLooking = true
    while (active.count > 0) {
      await pause()
      const { status } = await storeWatch.health()
      if (status === 'gone') active.stopAll(new RunStopped('interrupted', serverSentence('data-gone')))
    }
    this.#isLooking = false
  }
}

// The timer does not keep the process alive.
function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, lookMs).unref())
}
