import type { ChatKey } from '@throughline/protocol'
import type { Run, WaitingSubmission } from '@throughline/store'
import { joinLine } from '../queue/join-line.ts'
import { placeBehind } from '../queue/place-behind.ts'
import { removedFromQueue } from '../queue/queue-problems.ts'
import { type NamedSubmission, nameSubmission } from '../queue/saved-submission.ts'
import { SubmissionQueue } from '../queue/submission-queue.ts'
import type { ActiveRuns } from './active-runs.ts'
import { Admissions } from './admissions.ts'
import { admitSubmission } from './admit-submission.ts'
import { ArrivalOrder } from './arrival-order.ts'
import { beginRun } from './begin-run.ts'
import type { ChatViewers, Seat } from './chat-viewers.ts'
import { type Claimed, claimRun } from './claim-run.ts'
import { interruptFor } from './interrupt-for.ts'
import type { RunGuard } from './run-guard.ts'
import { isBusy, shuttingDown } from './run-refusals.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { StopWatch } from './stop-watch.ts'
import type { Submission } from './submission.ts'

interface SubmissionsOptions extends RunnerOptions {
  readonly active: ActiveRuns
  readonly viewers: ChatViewers
  readonly stops: StopWatch
  readonly guard: RunGuard
}

/** A submission that is saved. Its run is there, or comes when it is its turn. */
interface BegunOrWaits {
  readonly waits?: true
  readonly run: Promise<Run>
}

/** Turns submissions into runs: at once, or after they have waited in the line of their chat. */
export class Submissions {
  readonly #options: SubmissionsOptions
  readonly #admissions = new Admissions()
  readonly #arrivals = new ArrivalOrder()
  readonly #queue: SubmissionQueue
  #waitingCount = 0

  constructor(options: SubmissionsOptions) {
    const { store, logger, active } = options
    this.#options = options
    this.#queue = new SubmissionQueue({
      ...{ store, logger, closing: active.closing },
      begin: (waiting, named, seat) => this.#beginWaiting(waiting, named, seat),
    })
  }

  /** How many submissions have no run yet. Most of them wait for their chat. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  /** Starts a run, or finds the run of an equal submission: see `Runner.submit`. */
  submit(submission: Submission, seat: Seat | undefined): Promise<Run> {
    return this.#counted(async () => (await this.#begunOrWaits(submission, seat)).run)
  }

  /** Starts a run, or saves the submission in the line of its chat: see `Runner.submitOrQueue`. */
  async submitOrQueue(submission: Submission): Promise<Run | 'waits'> {
    const saved = Promise.withResolvers<Run | 'waits'>()
    this.#counted(async () => {
      const { waits, run } = await this.#begunOrWaits(submission, undefined)
      if (waits) saved.resolve('waits')
      saved.resolve(await run)
      // Once it waits, nobody is there to be told that it was removed from the line.
    }).catch(saved.reject)
    return saved.promise
  }

  /** Takes up the submissions that wait, now and every two seconds. */
  takeUpQueues(): void {
    this.#queue.start()
  }

  /** Waits until no run is begun any more. To be called after new runs are refused. */
  close(): Promise<void> {
    return this.#queue.close()
  }

  /**
   * If no run goes on in a chat, but messages that came before are being admitted, waits for the first run that one of
   * them starts.
   */
  async untilActive(chat: ChatKey): Promise<void> {
    let admissions = this.#admissions.of(chat)
    while (this.#options.active.of(chat) === undefined && admissions.length > 0) {
      await Promise.race(admissions.map(({ ended }) => ended))
      admissions = admissions.filter(({ isEnded }) => !isEnded)
    }
  }

  async #counted<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waitingCount += 1
    try {
      return await work()
    } finally {
      this.#waitingCount -= 1
    }
  }

  async #begunOrWaits(submission: Submission, seat: Seat | undefined): Promise<BegunOrWaits> {
    const named = nameSubmission(submission)
    if (submission.onBusy === 'reject') return { run: this.#beginOrAttach(named, seat) }
    for (;;) {
      const begun = await this.#arrivals.inTurn(submission, () => this.#beginOrJoin(named, seat))
      if (begun !== 'no-chat') return begun
    }
  }

  /** For a submission that does not wait. If an equal one came before and waits, this is its run too. */
  async #beginOrAttach(named: NamedSubmission, seat: Seat | undefined): Promise<Run> {
    const { store } = this.#options
    const { submission, lineId } = named
    try {
      return await this.#admit(submission, async () => {
        const admission = await admitSubmission(this.#options, submission)
        if (admission.type === 'claimed') return this.#begin(admission, submission, seat)
        if (admission.type === 'gone') throw removedFromQueue(submission, lineId)
        return admission.run
      })
    } catch (error) {
      const isWaiting =
        isBusy(error) && (await store.waitingSubmissions.find(submission, lineId)) !== undefined
      if (!isWaiting) throw error
      const begun = await this.#join(named, seat)
      if (begun === 'no-chat') throw error
      return begun.run
    }
  }

  /** Begins the run of a submission if the chat is free and nobody waits in it. Otherwise the submission waits too. */
  async #beginOrJoin(named: NamedSubmission, seat: Seat | undefined): Promise<BegunOrWaits | 'no-chat'> {
    const { submission } = named
    if (this.#options.active.isClosing) throw shuttingDown()
    const begun = await this.#admit(submission, async () => {
      const claim = await claimRun(this.#options, submission, { type: 'behind-others' })
      return claim.type === 'claimed' ? this.#begin(claim, submission, seat) : claim
    })
    if (!('type' in begun)) return { run: Promise.resolve(begun) }
    if (begun.type === 'attached') return { run: Promise.resolve(begun.run) }
    const behind = begun.type === 'busy' ? begun.activeRun?.id : undefined
    const joined = await this.#join({ ...named, behind }, seat)
    return joined === 'no-chat' ? joined : { ...joined, waits: true }
  }

  /** Lets a submission wait in the store. */
  #join(named: NamedSubmission, seat: Seat | undefined) {
    const join = async () => {
      const joined = await joinLine(this.#options, named)
      if (joined === 'waits') await interruptFor(this.#options, named.submission)
      return joined
    }
    return this.#queue.wait(named, { seat, join })
  }

  /** Begins the run of the submission that is the first in line, as soon as the chat is free. */
  #beginWaiting(waiting: WaitingSubmission, named: NamedSubmission, seat: Seat): Promise<Run | 'gone'> {
    const { store } = this.#options
    return this.#admit(waiting, async () => {
      const submission = await placeBehind(store, named)
      const admission = await admitSubmission(this.#options, submission, { type: 'waited', waiting })
      if (admission.type === 'claimed') return this.#begin(admission, submission, seat)
      if (admission.type === 'gone') return 'gone'
      await store.waitingSubmissions.remove(submission, waiting.id)
      return admission.run
    })
  }

  #admit<Result>(chat: ChatKey, admit: () => Promise<Result>): Promise<Result> {
    return this.#admissions.during(chat, () => this.#options.stops.during(chat, admit))
  }

  #begin(
    claimed: Claimed,
    { context, sender, model, clientTools }: Submission,
    seat: Seat | undefined,
  ): Promise<Run> {
    const begun = beginRun(this.#options, claimed, { context, sender, model, clientTools, seat })
    // The run is active already.
    this.#options.guard.start()
    return begun
  }
}
