import type { RunId } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import type { Fate } from '../recovery/fate.ts'
import { Quarantine } from '../recovery/quarantine.ts'
import type { NodeWork, RunUnderWay } from './node-work.ts'
import type { OwnedLog } from './owned-log.ts'

interface SweeperOptions {
  readonly store: Pick<Store, 'isShared' | 'jobLeases' | 'nodes' | 'runOwners' | 'runQuarantine' | 'runs'>
  readonly nodeId: string
  readonly log: OwnedLog
  readonly work: NodeWork
  readonly logger: Logger
  /** A clock that never goes back, in milliseconds. */
  readonly clock: () => number
  /** See `Limits.maxDeaths`. */
  readonly maxDeaths: number
  /** Called when it is worth sweeping before its time. */
  readonly wake: () => void
}

/** How many runs are taken over at once. A small number, so that the nodes share the runs of a dead one. */
const takenAtOnce = 20
/** A run that begins is under way long before that, in milliseconds. */
const maxBeginMs = 5_000

/** Looks for what dead nodes have left behind, and for runs that this node has lost. */
export class Sweeper {
  readonly #options: SweeperOptions
  readonly #quarantine: Quarantine
  /** Runs that have this node's name although nobody here works on them, and since when that is so. */
  #idleSince: ReadonlyMap<RunId, number> = new Map()
  /** A dead node may have left something for channels, and nobody has looked yet. */
  #isDeliveryDue = false

  constructor(options: SweeperOptions) {
    this.#options = options
    this.#quarantine = new Quarantine({
      ...options,
      takeOver: (run, fate) => this.#takeOver(run, fate),
      underWay: () => options.work.underWay(),
    })
  }

  /** Looks once. Without `mayTake`, takes nothing from other nodes. Throws when the database cannot be reached. */
  async sweep({ mayTake }: { readonly mayTake: boolean }): Promise<void> {
    const { work } = this.#options
    if (mayTake && !(await this.#keepsAway())) await this.#takeOrphans()
    await this.#compareRuns()
    if (mayTake) {
      await this.#quarantine.step()
      await this.#forgetDead()
    }
    if (!this.#isDeliveryDue) return
    await work.deliverLeft()
    this.#isDeliveryDue = false
  }

  /** To be called when this node closes. Never rejects. */
  close(): Promise<void> {
    return this.#quarantine.close()
  }

  /** Whether this node leaves orphans to others: it has a run in quarantine, which may kill it. */
  async #keepsAway(): Promise<boolean> {
    const { store, nodeId } = this.#options
    return this.#quarantine.isBusy && [...(await store.nodes.live())].some(id => id !== nodeId)
  }

  /** Whoever forgets a dead node also sends what that node did not send. So nodes do that once, as a rule. */
  async #forgetDead(): Promise<void> {
    try {
      if ((await this.#options.store.nodes.removeDead()) > 0) this.#isDeliveryDue = true
    } catch (error) {
      // The node may be forgotten all the same.
      this.#isDeliveryDue = true
      throw error
    }
  }

  /** Stops to work on a run, and lets it write nothing more. */
  abandon({ run, ended }: RunUnderWay): void {
    const { log, work } = this.#options
    log.disown(run.id)
    work.abandon(run)
    void ended.then(() => log.own(run.id))
  }

  async #takeOrphans(): Promise<void> {
    const { store, nodeId, work } = this.#options
    for (;;) {
      const { runs, damagedIds } = await store.runOwners.takeOrphans(nodeId, takenAtOnce)
      if (damagedIds.length > 0) {
        const damaged = (await store.runs.damaged()).filter(({ named }) => damagedIds.includes(named.runId))
        for (const run of damaged) await work.takeOverDamaged(run).catch(this.#orReport(run.named))
      }
      await this.#quarantine.admit(runs)
      if (runs.length + damagedIds.length < takenAtOnce) return
    }
  }

  /** Returns false when that failed. Then the run is an orphan again. */
  async #takeOver(run: Run, fate: Fate): Promise<boolean> {
    const { store, nodeId, log, work, logger } = this.#options
    const named = { runId: run.id, chatId: run.chatId, fate }
    log.own(run.id)
    logger.warn(named, 'this node takes over a run that has no node')
    try {
      await work.takeOver(run, fate)
      return true
    } catch (error) {
      this.#orReport(named)(error)
      // The next sweep tries again, here or on another node.
      await store.runOwners.free(nodeId, run).catch(this.#orReport(named))
      return false
    }
  }

  /** Finds runs about which the rows and this process do not agree. The rows are right. */
  async #compareRuns(): Promise<void> {
    const { store, nodeId, work, clock } = this.#options
    // Read before the rows: a run that begins in between must not look lost.
    const underWay = work.underWay()
    const own = await store.runOwners.runsOf(nodeId)
    const ownIds = new Set(own.map(({ id }) => id))
    for (const active of underWay) if (!active.isAnswered && !ownIds.has(active.run.id)) this.abandon(active)
    const activeIds = new Set(work.underWay().map(({ run }) => run.id))
    const idle = own.filter(({ id }) => !activeIds.has(id))
    // A run that is only just beginning is not under way yet. One that stays idle was lost: another node took its lease by
    // mistake, and then gave up.
    const now = clock()
    this.#idleSince = new Map(idle.map(({ id }) => [id, this.#idleSince.get(id) ?? now]))
    for (const run of idle)
      if (now - (this.#idleSince.get(run.id) ?? now) >= maxBeginMs) await this.#takeOver(run, 'goes-on')
  }

  #orReport(named: { readonly runId: string; readonly chatId: string }) {
    return (error: unknown) =>
      this.#options.logger.error({ ...named, err: error }, 'a run could not be taken over; it is tried again')
  }
}
