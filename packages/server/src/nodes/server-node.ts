import { setTimeout as pause } from 'node:timers/promises'
import { type ChatKey, randomHex } from '@throughline/protocol'
import { type Store, withPatience } from '@throughline/store'
import type { Logger } from 'pino'
import { Jobs } from './jobs.ts'
import type { NodeWork } from './node-work.ts'
import { type OwnedLog, ownedLog } from './owned-log.ts'
import { beatMs, Pulse } from './pulse.ts'
import { Sweeper } from './sweeper.ts'

/** What a node needs. */
export interface NodeOptions {
  readonly store: Pick<
    Store,
    'isShared' | 'jobLeases' | 'log' | 'nodes' | 'runOwners' | 'runQuarantine' | 'runs' | 'signals'
  >
  readonly logger: Logger
  /** See `Limits.maxDeaths`. */
  readonly maxDeaths: number
  /** A clock that never goes back, in milliseconds. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined
}

/** How often a node looks for runs that have no node, in milliseconds. */
const sweepMs = 2_000
/** How often a node looks whether it has beaten in time, in milliseconds. */
const watchMs = 1_000
/** How long a node that shuts down waits for its agents to stop, before others go on with their runs. */
const maxLeaveMs = 2_000

/**
 * This process as one of several that share a store. It beats, so that others know that it is alive, and takes over the
 * runs of nodes that are dead.
 */
export class ServerNode {
  /** Unique for each start. A process that is started again is another node. */
  readonly id = `node_${randomHex(8)}`
  /** The log as the runs of this node write it. */
  readonly log: OwnedLog
  readonly jobs: Jobs
  readonly #options: NodeOptions
  readonly #work: NodeWork
  readonly #pulse: Pulse
  readonly #sweeper: Sweeper
  readonly #closing = new AbortController()
  #loops: Promise<unknown> = Promise.resolve()
  #sweeping: Promise<void> | undefined
  /** Somebody has asked for a sweep since the last one began. */
  #isAskedToSweep = false
  #isLeaving = false

  constructor(options: NodeOptions, work: NodeWork) {
    const { store, logger, maxDeaths, clock = () => performance.now() } = options
    const { id: nodeId } = this
    this.#options = options
    this.#work = work
    this.log = ownedLog({ ...store, nodeId })
    this.jobs = new Jobs({ ...store, nodeId, logger })
    this.#pulse = new Pulse({ ...store, nodeId, clock })
    const wake = () => void this.sweep()
    this.#sweeper = new Sweeper({ store, nodeId, log: this.log, work, logger, clock, maxDeaths, wake })
  }

  /**
   * Whether this node may do for a run what must not be done twice. Others may take it for dead when it could not beat for
   * some time, such as while the database was away. Then it beats first, and looks whether the run is still its own.
   */
  async mayActOutside(run: ChatKey): Promise<boolean> {
    if (this.#pulse.isFelt) return true
    // The run can wait, and a beat must not.
    await withPatience({ maxWaitMs: 0 }, () => this.beat())
    // From now on nobody takes the run. Who took it before has written that into the row.
    return this.#pulse.isFelt && this.#options.store.runOwners.hasRunIn(run, this.id)
  }

  /** Beats, takes over what dead nodes left, and then does both again and again. Throws when the first beat fails. */
  async start(): Promise<void> {
    await this.#pulse.beat()
    await this.sweep()
    const endRings = this.#options.store.signals.onNodes(() => void this.sweep())
    this.#closing.signal.addEventListener('abort', endRings)
    // Each in a loop of its own: none may hold up the beat.
    this.#loops = Promise.all([
      this.#repeat(
        () => this.#pulse.pauseMs,
        () => this.beat(),
      ),
      this.#repeat(
        () => beatMs,
        () => this.jobs.renew(),
      ),
      this.#repeat(
        () => sweepMs,
        () => this.sweep(),
      ),
      this.#repeat(
        () => watchMs,
        async () => {
          if (!this.#pulse.isFelt) this.jobs.pause()
        },
      ),
    ])
  }

  /** Says that this node is alive. Never rejects. */
  async beat(): Promise<void> {
    try {
      const isSomeoneDead = await this.#pulse.beat()
      if (isSomeoneDead) void this.sweep()
    } catch (error) {
      this.#options.logger.error({ err: error }, 'this node could not say that it is alive; it tries again')
    }
  }

  /** Takes over the runs of dead nodes, and gives up those that were taken from this one. Never rejects. */
  async sweep(): Promise<void> {
    this.#isAskedToSweep = true
    this.#sweeping ??= this.#sweepWhileAsked().finally(() => {
      this.#sweeping = undefined
    })
    await this.#sweeping
  }

  /** Whether this node begins with no run any more, and takes none over. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Whether another node is alive, which could go on with the runs of this one. Never rejects. */
  async hasOthers(): Promise<boolean> {
    const live = await this.#options.store.nodes.live().catch(() => new Set<string>())
    return [...live].some(id => id !== this.id)
  }

  /** Begins with no run any more, and takes none over. Those that go on are not touched. */
  refuseNew(): void {
    this.log.refuseNew()
    this.#isLeaving = true
  }

  /** Stops to work on all runs, so that others can go on with them. Answers that are complete are still saved. */
  async leaveRuns(): Promise<void> {
    const all = this.#work.underWay()
    for (const active of all) if (!active.isAnswered) this.#sweeper.abandon(active)
    const left = Promise.all(all.map(({ ended }) => ended))
    await Promise.race([left, pause(maxLeaveMs, undefined, { ref: false })])
  }

  /** Stops to live. Others take over at once what this node has not finished. Never rejects. */
  async close(): Promise<void> {
    const { store, logger } = this.#options
    this.#closing.abort()
    await this.#loops
    await this.#sweeping
    await this.#sweeper.close()
    await store.nodes
      .resign(this.id)
      .catch(error => logger.warn({ err: error }, 'this node could not say that it leaves'))
    store.signals.ringNodes()
  }

  async #sweepWhileAsked(): Promise<void> {
    while (this.#isAskedToSweep && !this.#isLeaving && !this.#closing.signal.aborted) {
      this.#isAskedToSweep = false
      if (!this.#pulse.isFelt) return
      await this.#sweepOnce().catch(error => {
        this.#options.logger.error({ err: error }, 'this node could not look for dead nodes; it tries again')
      })
    }
  }

  async #sweepOnce(): Promise<void> {
    if (this.#pulse.wasCutOff) {
      await this.#options.store.runQuarantine.takeBackDeath(this.id)
      this.#pulse.forgetCutOff()
    }
    await this.#sweeper.sweep({ mayTake: this.#pulse.mayTakeRuns })
  }

  async #repeat(pauseMs: () => number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await pause(pauseMs(), undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await work()
    }
  }
}
