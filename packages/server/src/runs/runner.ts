import { RunLeft } from '@throughline/agents/internal'
import type { ChatKey, RunId } from '@throughline/protocol'
import type { DamagedRun, Run, WaitingSubmission } from '@throughline/store'
import type { PlanChange } from '../changes/planned.ts'
import { joinLine } from '../queue/join-line.ts'
import { placeBehind } from '../queue/place-behind.ts'
import { removedFromQueue } from '../queue/queue-problems.ts'
import { type NamedSubmission, nameSubmission } from '../queue/saved-submission.ts'
import { type QueueOptions, SubmissionQueue } from '../queue/submission-queue.ts'
import { type ActiveRun, ActiveRuns } from './active-runs.ts'
import { Admissions } from './admissions.ts'
import { admitSubmission } from './admit-submission.ts'
import { ArrivalOrder } from './arrival-order.ts'
import { beginClaimed } from './begin-claimed.ts'
import { changeChat } from './change-chat.ts'
import { ChatViewers, type Seat } from './chat-viewers.ts'
import { type Claimed, claimRun } from './claim-run.ts'
import { continueRun } from './continue-run.ts'
import { type ImportedHistory, importHistory } from './import-history.ts'
import { interruptFor } from './interrupt-for.ts'
import { recoverRuns } from './recover-runs.ts'
import { RunGuard } from './run-guard.ts'
import { isBusy, shuttingDown } from './run-refusals.ts'
import type { RunnerOptions } from './runner-options.ts'
import { setAsideDamaged } from './set-aside-run.ts'
import { type StopResult, stopActive } from './stop-active.ts'
import { StopWatch } from './stop-watch.ts'
import type { Submission } from './submission.ts'

/**
 * The runs of this process. There is one at a time per chat, also when several processes share the store. No run depends
 * on a connection, and each run has exactly one end.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #active: ActiveRuns
  readonly #admissions = new Admissions()
  readonly #arrivals = new ArrivalOrder()
  readonly #queue: SubmissionQueue
  readonly #stops: StopWatch
  readonly #guard: RunGuard
  /** Counts who watches which chat. Code that shows a chat to somebody takes a seat here. */
  readonly viewers = new ChatViewers()

  #waitingCount = 0

  constructor(options: RunnerOptions) {
    const { store, logger, storeWatch } = options
    this.#options = options
    this.#active = new ActiveRuns(store.signals, options.watch)
    this.#guard = new RunGuard({ active: this.#active, storeWatch })
    this.#stops = new StopWatch({ store, active: this.#active, logger })
    const { closing } = this.#active
    const begin: QueueOptions['begin'] = (...waiting) => this.#beginWaiting(...waiting)
    this.#queue = new SubmissionQueue({ store, logger, closing, begin })
  }

  /**
   * Starts a run, or finds the run that an equal submission has started before. If the chat is busy, the submission waits
   * in the store, where it survives a restart. Then any process that shares the store may start the run. Submissions
   * that wait are admitted in the order in which they came.
   *
   * The seat is the sender's, if they are going to watch the run. It is taken as soon as the run is active, so that the
   * run never seems to have no viewer.
   */
  async submit(submission: Submission, seat?: Seat): Promise<Run> {
    this.#waitingCount += 1
    try {
      return await this.#submit(submission, seat)
    } finally {
      this.#waitingCount -= 1
    }
  }

  async #submit(submission: Submission, seat: Seat | undefined): Promise<Run> {
    await this.#options.storeWatch.assertWritable()
    const named = nameSubmission(submission)
    if (submission.onBusy === 'reject') return this.#beginOrAttach(named, seat)
    for (;;) {
      const begun = await this.#arrivals.inTurn(submission, () => this.#beginOrJoin(named, seat))
      if (begun !== 'no-chat') return begun.run
    }
  }

  /** Deletes, moves or describes messages of a chat. Returns false when there is no such chat. See `changeChat`. */
  async change(chat: ChatKey, plan: PlanChange): Promise<boolean> {
    await this.#options.storeWatch.assertWritable()
    return changeChat(this.#shared(), chat, plan)
  }

  /** Begins a new chat with messages that were written elsewhere. Returns false when the chat exists. See `importHistory`. */
  async importHistory(history: ImportedHistory): Promise<boolean> {
    await this.#options.storeWatch.assertWritable()
    return importHistory(this.#shared(), history)
  }

  /** How many runs go on in this process. */
  get activeCount(): number {
    return this.#active.count
  }

  /** How many submissions have no run yet. Most of them wait for their chat. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  /** Returns the run that goes on in a chat in this process. Its `ended` resolves when it is over. */
  active(chat: ChatKey): Pick<ActiveRun, 'run' | 'ended'> | undefined {
    return this.#active.of(chat)
  }

  /** Aborts when the server begins to shut down. */
  get closing(): AbortSignal {
    return this.#active.closing
  }

  /**
   * Stops the run of a chat, also one that a message is just starting, and also one of another process. With `only`, no
   * other run than that one is stopped. Waits until the end of the run is saved, for 1.5 seconds at most.
   */
  async stop(chat: ChatKey, only?: RunId): Promise<StopResult> {
    await this.#untilActive(chat)
    return this.stopActive(chat, only)
  }

  /** The same, but does not wait for messages that are being admitted. */
  stopActive(chat: ChatKey, only?: RunId): Promise<StopResult> {
    return stopActive(this.#shared(), chat, only)
  }

  /**
   * Takes over the runs that another process left behind when it died: see `recoverRuns`. Then takes up the submissions
   * that wait.
   */
  async recover(): Promise<void> {
    // The channels look by themselves for what they have to deliver, when they start.
    await recoverRuns({ ...this.#shared(), onBegin: undefined })
    for (const { run } of this.#active.all()) this.#watchTaken(run)
    this.takeUpQueues()
  }

  /** Takes up the submissions that wait, now and every two seconds. */
  takeUpQueues(): void {
    this.#queue.start()
  }

  /** Returns the runs that go on in this process. */
  underWay(): readonly Pick<ActiveRun, 'run' | 'ended' | 'isAnswered'>[] {
    return this.#active.all()
  }

  /** Takes over a run whose node is gone. Throws when that fails. */
  async takeOver(run: Run): Promise<void> {
    await continueRun({ ...this.#shared(), onBegin: undefined }, run)
    if (this.#active.of(run) !== undefined) this.#watchTaken(run)
    // Also for a run that has ended instead: the channels still have to deliver what it wrote.
    this.#options.onBegin?.(run)
  }

  /** The same for a run whose row is damaged. */
  takeOverDamaged(run: DamagedRun): Promise<void> {
    return setAsideDamaged(this.#shared(), run)
  }

  /** Stops to work on a run that another node has taken over. That node writes its end. */
  abandon(run: Run): void {
    const active = this.#active.of(run)
    if (active?.run.id === run.id) active.stop.abort(new RunLeft())
  }

  /** Refuses submissions from now on. Those that wait stay in the store. The runs that go on are not touched. */
  refuseNew(): void {
    this.#active.refuseNew()
  }

  /**
   * Stops every run as interrupted, and waits until they are saved. Refuses submissions from now on. Those that wait stay
   * in the store.
   */
  async close(): Promise<void> {
    await this.#active.close()
    await this.#queue.close()
  }

  /**
   * If no run goes on in a chat, but messages that came before are being admitted, waits for the first run that one of
   * them starts.
   */
  async #untilActive(chat: ChatKey): Promise<void> {
    let admissions = this.#admissions.of(chat)
    while (this.#active.of(chat) === undefined && admissions.length > 0) {
      await Promise.race(admissions.map(({ ended }) => ended))
      admissions = admissions.filter(({ isEnded }) => !isEnded)
    }
  }

  /** For a submission that does not wait. If an equal one came before and waits, this is its run too. */
  async #beginOrAttach(named: NamedSubmission, seat: Seat | undefined): Promise<Run> {
    const { store } = this.#options
    const { submission, lineId } = named
    try {
      return await this.#admit(submission, async () => {
        const admission = await admitSubmission(this.#shared(), submission)
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
  async #beginOrJoin(named: NamedSubmission, seat: Seat | undefined) {
    const { submission } = named
    if (this.#active.isClosing) throw shuttingDown()
    const begun = await this.#admit(submission, async () => {
      const claim = await claimRun(this.#shared(), submission, { type: 'behind-others' })
      return claim.type === 'claimed' ? this.#begin(claim, submission, seat) : claim
    })
    if (!('type' in begun)) return { run: Promise.resolve(begun) }
    if (begun.type === 'attached') return { run: Promise.resolve(begun.run) }
    return this.#join({ ...named, behind: begun.type === 'busy' ? begun.activeRun?.id : undefined }, seat)
  }

  /** Lets a submission wait in the store. */
  #join(named: NamedSubmission, seat: Seat | undefined) {
    const join = async () => {
      const joined = await joinLine(this.#options, named)
      if (joined === 'waits') await interruptFor(this.#shared(), named.submission)
      return joined
    }
    return this.#queue.wait(named, { seat, join })
  }

  /** Begins the run of the submission that is the first in line, as soon as the chat is free. */
  #beginWaiting(waiting: WaitingSubmission, named: NamedSubmission, seat: Seat): Promise<Run | 'gone'> {
    const { store } = this.#options
    return this.#admit(waiting, async () => {
      const submission = await placeBehind(store, named)
      const admission = await admitSubmission(this.#shared(), submission, { type: 'waited', waiting })
      if (admission.type === 'claimed') return this.#begin(admission, submission, seat)
      if (admission.type === 'gone') return 'gone'
      await store.waitingSubmissions.remove(submission, waiting.id)
      return admission.run
    })
  }

  #admit<Result>(chat: ChatKey, admit: () => Promise<Result>): Promise<Result> {
    return this.#admissions.during(chat, () => this.#stops.during(chat, admit))
  }

  #begin(claimed: Claimed, { context, sender }: Submission, seat: Seat | undefined): Promise<Run> {
    const begun = beginClaimed(this.#shared(), claimed, { context, sender, seat })
    this.#guard.start()
    return begun
  }

  /** Looks after a run that was taken over, as after one that has begun here. */
  #watchTaken(chat: ChatKey): void {
    this.#guard.start()
    this.#stops.watch(chat)
  }

  #shared() {
    return { ...this.#options, active: this.#active, viewers: this.viewers }
  }
}
