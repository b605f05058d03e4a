import { RunStopped } from '@throughline/agents/internal'
import { serverSentence } from '@throughline/protocol/internal'
import type { Store, StoreHealth } from '@throughline/store'
import type { Logger } from 'pino'
import { storeProblem } from '../refusals/store-problem.ts'
import type { ActiveRuns } from './active-runs.ts'

interface WatchOptions {
  readonly store: Pick<Store, 'health' | 'maxWaitMs'>
  readonly logger: Logger
  /** Aborts when the server has closed. From then on the application may close the store, which is no fault. */
  readonly closing: AbortSignal
}

/** Refuses work whose result could not be kept, and tells the operator when the store fails and when it works again. */
export class StoreWatch {
  readonly #options: WatchOptions
  #status: StoreHealth['status'] = 'ok'
  /** By `performance.now()`. */
  #failingSince: number | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Returns the health of the store. The result may be up to a second old. Logs every change. */
  async health(): Promise<StoreHealth> {
    const { store, logger, closing } = this.#options
    const health = await store.health()
    this.#failingSince = health.status === 'ok' ? undefined : (this.#failingSince ?? performance.now())
    if (health.status === this.#status || closing.aborted) return health
    this.#status = health.status
    if (health.status === 'ok') logger.warn('the store can be written again')
    else logger.error({ status: health.status }, `the store cannot be written: ${health.problem}`)
    return health
  }

  /** Throws a `ProblemError` when nothing can be saved now. */
  async assertWell(): Promise<void> {
    const { status } = await this.health()
    if (status !== 'ok') throw storeProblem(status)
  }

  /** Throws a `ProblemError` when nothing can be saved, and it is not worth waiting until something can. */
  async assertWritable(): Promise<void> {
    const { status } = await this.health()
    if (status !== 'ok' && !this.#mayPass(status)) throw storeProblem(status)
  }

  /**
   * Throws a `ProblemError` when what is saved now would be lost. On a full disk it does not throw: there, a small
   * change may still work, and deleting a chat may help.
   */
  async assertKept(): Promise<void> {
    const { status } = await this.health()
    if (status === 'gone' || status === 'closed') throw storeProblem(status)
    if (status === 'unreachable' && !this.#mayPass(status)) throw storeProblem(status)
  }

  /**
   * A server that has just gone away, or that cannot be written, may be about to restart, or a standby that takes over.
   * Requests wait for it: see `withPatience`. Not when it has been so for longer than any run waits.
   */
  #mayPass(status: StoreHealth['status']): boolean {
    const failedMs = performance.now() - (this.#failingSince ?? performance.now())
    return (status === 'unreachable' || status === 'unwritable') && failedMs < this.#options.store.maxWaitMs
  }
}

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
