import type { JobLeases } from '@throughline/store'
import type { Logger } from 'pino'

interface JobsOptions {
  readonly jobLeases: JobLeases
  readonly nodeId: string
  readonly logger: Logger
}

/** Does jobs that only one node may do at a time. */
export interface JobRunner {
  /**
   * Does a job whenever it belongs to this node, until `closing` aborts. The signal of `work` aborts when the job goes to
   * another node. Resolves when the work has ended and `closing` has aborted. `work` should not throw.
   */
  run(name: string, closing: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void>
}

/** For a store that no other process uses: every job belongs to this process. */
export const ownJobs: JobRunner = {
  run: (_name, closing, work) => work(closing),
}

interface Job {
  readonly work: (signal: AbortSignal) => Promise<void>
  /** The work that goes on, if the job belongs to this node. */
  turn: { readonly fence: number; readonly stop: AbortController; readonly over: Promise<void> } | undefined
}

/** The jobs that this node would do. It tries to take each of them with every beat. */
export class Jobs implements JobRunner {
  readonly #options: JobsOptions
  readonly #jobs = new Map<string, Job>()

  constructor(options: JobsOptions) {
    this.#options = options
  }

  async run(name: string, closing: AbortSignal, work: Job['work']): Promise<void> {
    const job: Job = { work, turn: undefined }
    this.#jobs.set(name, job)
    await this.#renew(name, job)
    if (!closing.aborted)
      await new Promise(resolve => closing.addEventListener('abort', resolve, { once: true }))
    this.#jobs.delete(name)
    await this.#end(name, job)
  }

  /** Takes or renews the leases of all jobs. To be called as often as the node beats. */
  async renew(): Promise<void> {
    await Promise.all([...this.#jobs].map(([name, job]) => this.#renew(name, job)))
  }

  /** Stops all work. To be called when the node may be dead for others, so that they do the jobs by now. */
  pause(): void {
    for (const job of this.#jobs.values()) job.turn?.stop.abort()
  }

  async #renew(name: string, job: Job): Promise<void> {
    const { jobLeases, nodeId, logger } = this.#options
    const fence = await jobLeases.take(name, nodeId).catch(error => {
      logger.warn({ err: error, job: name }, 'the lease of a job could not be renewed')
      return job.turn?.fence
    })
    // The job may have been removed in the meantime.
    if (this.#jobs.get(name) !== job) return
    const { turn } = job
    if (turn !== undefined && (turn.fence !== fence || turn.stop.signal.aborted)) await this.#stop(job, turn)
    const isStillWanted = this.#jobs.get(name) === job
    if (isStillWanted && fence !== undefined && job.turn === undefined) this.#start(job, fence)
  }

  #start(job: Job, fence: number): void {
    const stop = new AbortController()
    job.turn = { fence, stop, over: job.work(stop.signal) }
  }

  async #stop(job: Job, { stop, over }: NonNullable<Job['turn']>): Promise<void> {
    stop.abort()
    await over
    job.turn = undefined
  }

  async #end(name: string, job: Job): Promise<void> {
    const { jobLeases, nodeId, logger } = this.#options
    if (job.turn === undefined) return
    await this.#stop(job, job.turn)
    await jobLeases
      .giveBack(name, nodeId)
      .catch(error => logger.warn({ err: error, job: name }, 'the lease of a job could not be given back'))
  }
}
