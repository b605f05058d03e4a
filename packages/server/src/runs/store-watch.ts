import type { Store, StoreHealth } from '@throughline/store'
import type { Logger } from 'pino'
import { storeProblem } from './store-problem.ts'

interface WatchOptions {
  readonly store: Pick<Store, 'health'>
  readonly logger: Logger
}

/** Refuses work whose result could not be kept, and tells the operator when the store fails and when it works again. */
export class StoreWatch {
  readonly #options: WatchOptions
  #status: StoreHealth['status'] = 'ok'

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Returns the health of the store. The result may be up to a second old. Logs every change. */
  async health(): Promise<StoreHealth> {
    const { store, logger } = this.#options
    const health = await store.health()
    if (health.status === this.#status) return health
    this.#status = health.status
    if (health.status === 'ok') logger.warn('the store can be written again')
    else logger.error({ status: health.status }, `the store cannot be written: ${health.problem}`)
    return health
  }

  /** Throws a `ProblemError` when nothing can be saved now. */
  async assertWritable(): Promise<void> {
    const { status } = await this.health()
    if (status !== 'ok') throw storeProblem(status)
  }

  /**
   * Throws a `ProblemError` when what is saved now would be lost. On a full disk it does not throw: there, a small
   * change may still work, and deleting a chat may help.
   */
  async assertKept(): Promise<void> {
    const { status } = await this.health()
    if (status === 'gone' || status === 'unreachable' || status === 'closed') throw storeProblem(status)
  }
}
