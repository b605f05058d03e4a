import { randomHex } from '@throughline/protocol'
import { type Run, SqlError } from '@throughline/store'
import type { Fate } from '../recovery/fate.ts'
import { Quarantine } from '../recovery/quarantine.ts'
import type { NodeWork } from './node-work.ts'
import type { NodeOptions } from './server-node.ts'

/** How often the process looks after the runs in quarantine, in milliseconds. */
const tendMs = 2_000

/** This process, which has its store for itself. It takes over what the process before it has left. */
export class LoneProcess {
  /** Unique for each start. The runs of this process have it, so that the next one knows whose they were. */
  readonly id = `node_${randomHex(8)}`
  readonly #options: Pick<NodeOptions, 'store' | 'logger'>
  readonly #work: NodeWork
  readonly #quarantine: Quarantine
  /** It never begins runs for others: there are none. */
  readonly isLeaving = false
  readonly #closing = new AbortController()
  #wake: () => void = () => undefined
  #tending: Promise<void> = Promise.resolve()

  constructor(options: NodeOptions, work: NodeWork) {
    const { store, logger, maxDeaths, clock = () => performance.now() } = options
    this.#options = options
    this.#work = work
    this.#quarantine = new Quarantine({
      store,
      nodeId: this.id,
      maxDeaths,
      logger,
      clock,
      takeOver: (run, fate) => this.#takeOver(run, fate),
      underWay: () => work.underWay(),
      wake: () => this.#wake(),
    })
  }

  /** Takes over what is left of earlier processes. Resolves when all of it is under way, waits, or has ended. */
  async start(): Promise<void> {
    const { store } = this.#options
    try {
      await this.#takeLeft()
    } catch (error) {
      // A disk may be full. Its runs end when there is room again.
      if (!(error instanceof SqlError)) throw error
      for (const run of await store.runs.unfinished()) await this.#takeOver(run, 'goes-on')
    }
    for (const damaged of await store.runs.damaged())
      await this.#work.takeOverDamaged(damaged).catch(this.#orReport(damaged.named.runId))
    this.#tending = this.#tend()
  }

  /** Takes over nothing more. Resolves when what it has begun to take over is under way. */
  async refuseNew(): Promise<void> {
    this.#closing.abort()
    this.#wake()
    await this.#tending
  }

  /** Says that the runs that are left were left on purpose. Never rejects. */
  async close(): Promise<void> {
    const { store, logger } = this.#options
    await this.refuseNew()
    await store.runOwners
      .freeAll(this.id)
      .catch(error => logger.warn({ err: error }, 'this process could not say that it leaves its runs'))
  }

  /** Runs whose deaths were explained meanwhile are taken once more. */
  async #takeLeft(): Promise<void> {
    for (;;) {
      const { runs } = await this.#options.store.runOwners.takeOrphans(this.id, Number.MAX_SAFE_INTEGER)
      if (runs.length === 0) return
      await this.#quarantine.admit(runs)
    }
  }

  async #tend(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      const isNeeded = await this.#look()
      if (!isNeeded || signal.aborted) return
      const timer = setTimeout(resolve, tendMs).unref()
      await promise
      clearTimeout(timer)
    }
  }

  async #look(): Promise<boolean> {
    try {
      const isNeeded = await this.#quarantine.step()
      // For those that were stopped, or are not suspect any more.
      if (isNeeded) await this.#takeLeft()
      return isNeeded
    } catch (error) {
      this.#options.logger.error(
        { err: error },
        'the quarantine could not be looked after; it is tried again',
      )
      return true
    }
  }

  async #takeOver(run: Run, fate: Fate): Promise<boolean> {
    return this.#work.takeOver(run, fate).then(
      () => true,
      error => {
        this.#orReport(run.id)(error)
        return false
      },
    )
  }

  #orReport(runId: string) {
    return (error: unknown) =>
      this.#options.logger.error(
        { runId, err: error },
        'an unfinished run could not be taken over; the next start tries again',
      )
  }
}
