import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import { type Fate, fateOf, probationMs } from './fate.ts'

interface QuarantineOptions {
  readonly store: Pick<Store, 'isShared' | 'jobLeases' | 'runOwners' | 'runQuarantine'>
  readonly nodeId: string
  /** How many deaths of its node end a run, whatever else is known about it. */
  readonly maxDeaths: number
  readonly logger: Logger
  /** A clock that never goes back, in milliseconds. */
  readonly clock: () => number
  /** Goes on with a run, ends it, or makes it ready to wait. Never rejects. Returns whether that succeeded. */
  readonly takeOver: (run: Run, fate: Fate) => Promise<boolean>
  /** Returns the runs that go on in this process. */
  readonly underWay: () => readonly { readonly run: Pick<Run, 'id'>; readonly ended: Promise<unknown> }[]
  /** Called when it is worth calling `step` before its time. */
  readonly wake: () => void
}

/** The lease of the job to have a run in quarantine. Only one node at a time has one. */
const job = 'quarantine'
/** How long a node that works on other runs leaves the next run to a node that does not, in milliseconds. */
const politeMs = 4_000

/**
 * Keeps runs that may have killed their nodes away from the others. It decides what becomes of each run whose node is gone.
 * Those that are suspect wait, and go on one at a time over all nodes. Whoever dies then is guilty.
 */
export class Quarantine {
  readonly #options: QuarantineOptions
  #inside: { readonly run: Run; readonly since: number; hasEnded: boolean } | undefined
  #hasLease = false
  /** Since when this node knows that runs wait. */
  #waitingSince: number | undefined

  constructor(options: QuarantineOptions) {
    this.#options = options
  }

  /** Whether a run is in quarantine on this node. Then the node should take no other runs. */
  get isBusy(): boolean {
    return this.#inside !== undefined
  }

  /** Goes on with runs that this node has just taken from nodes that are gone, lets them wait, or ends them. */
  async admit(runs: readonly Run[]): Promise<void> {
    const fates = new Map<Run, Fate>()
    for (const run of runs) fates.set(run, await this.#fateOf(run))
    const guilty = runs.filter(run => fates.get(run) === 'ends')
    for (const run of guilty) await this.#end(run)
    const others = runs.filter(run => !guilty.includes(run))
    await Promise.all(others.map(run => this.#admit(run, fates.get(run), guilty.length > 0)))
  }

  /**
   * Lets a run leave the quarantine that has survived it, and takes the next one. Returns whether there is still something to
   * do. To be called every few seconds.
   */
  async step(): Promise<boolean> {
    if (await this.#isOccupied()) return true
    if ((await this.#options.store.runQuarantine.countWaiting()) === 0) {
      this.#waitingSince = undefined
      await this.#giveLeaseBack()
      return false
    }
    await this.#takeNext()
    return true
  }

  /** Lets another node have the next run in quarantine. To be called when this node closes. Never rejects. */
  async close(): Promise<void> {
    const { logger } = this.#options
    await this.#giveLeaseBack().catch(error =>
      logger.warn({ err: error }, 'the lease of the quarantine could not be given back'),
    )
  }

  async #fateOf(run: Run): Promise<Fate> {
    const { store, maxDeaths } = this.#options
    const { deaths = [], quarantine, stopRequestedBy } = run
    const last = deaths.at(-1)
    if (last === undefined) return 'goes-on'
    const hasDiedInside = quarantine === 'inside'
    const wasAlone = hasDiedInside && (await store.runQuarantine.wasAlone(run, last))
    const isStopRequested = stopRequestedBy !== undefined
    return fateOf({ deaths: deaths.length, hasDiedInside, wasAlone, isStopRequested }, { maxDeaths })
  }

  async #admit(run: Run, fate: Fate = 'goes-on', isExplained: boolean): Promise<void> {
    const { store, nodeId, takeOver, logger } = this.#options
    // Some of its deaths may be explained by now.
    if (fate === 'waits' && isExplained) return store.runOwners.free(nodeId, run)
    const isDone = await takeOver(run, fate)
    if (!isDone || fate !== 'waits') return
    const deaths = run.deaths?.length
    logger.warn({ runId: run.id, chatId: run.chatId, deaths }, 'a run whose nodes died waits in quarantine')
    await store.runQuarantine.put(nodeId, run)
  }

  async #end(run: Run): Promise<void> {
    const { store, takeOver } = this.#options
    if (await takeOver(run, 'ends')) await store.runQuarantine.explain(run)
  }

  /** Returns whether a run is in quarantine here, and stays there. */
  async #isOccupied(): Promise<boolean> {
    const { store, nodeId, clock, logger } = this.#options
    const inside = this.#inside
    if (inside === undefined) return false
    const { run, since, hasEnded } = inside
    if (!hasEnded && clock() - since < probationMs(run.deaths?.length ?? 0)) {
      if (this.#hasLease) await this.#takeLease()
      return true
    }
    await store.runQuarantine.release(nodeId, run)
    this.#inside = undefined
    logger.info({ runId: run.id, chatId: run.chatId }, 'a run has left the quarantine')
    return false
  }

  async #takeNext(): Promise<void> {
    const { store, nodeId, clock, underWay, takeOver, wake } = this.#options
    this.#waitingSince ??= clock()
    const isIdle = !store.isShared || underWay().length === 0
    if (!isIdle && clock() - this.#waitingSince < politeMs) return
    if (!(await this.#takeLease())) return
    const run = await store.runQuarantine.takeNext(nodeId)
    if (run === undefined) return
    const inside = { run, since: clock(), hasEnded: false }
    this.#inside = inside
    const isTaken = await takeOver(run, 'goes-on')
    const active = isTaken ? underWay().find(each => each.run.id === run.id) : undefined
    void Promise.resolve(active?.ended).then(() => {
      inside.hasEnded = true
      wake()
    })
  }

  /** A store that only one process uses needs no lease: the one of a process that was killed would be in the way. */
  async #takeLease(): Promise<boolean> {
    const { store, nodeId } = this.#options
    if (!store.isShared) return true
    this.#hasLease = (await store.jobLeases.take(job, nodeId)) !== undefined
    return this.#hasLease
  }

  async #giveLeaseBack(): Promise<void> {
    const { store, nodeId } = this.#options
    if (!this.#hasLease) return
    this.#hasLease = false
    await store.jobLeases.giveBack(job, nodeId)
  }
}
