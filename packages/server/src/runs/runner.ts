import { RunLeft, RunStopped } from '@throughline/agents/internal'
import type { ChatKey } from '@throughline/protocol'
import type { DamagedRun, Run } from '@throughline/store'
import type { PlanChange } from '../changes/planned.ts'
import { type ActiveRun, ActiveRuns } from './active-runs.ts'
import { Admissions } from './admissions.ts'
import { admitSubmission, findOrInterrupt } from './admit-submission.ts'
import { beginRun } from './begin-run.ts'
import { changeChat } from './change-chat.ts'
import { ChatViewers, type Seat } from './chat-viewers.ts'
import { continueRun } from './continue-run.ts'
import { type ImportedHistory, importHistory } from './import-history.ts'
import { recoverRuns } from './recover-runs.ts'
import { RunGuard } from './run-guard.ts'
import type { RunnerOptions } from './runner-options.ts'
import { setAsideDamaged } from './set-aside-run.ts'
import type { Submission } from './submission.ts'
import { WaitingLines } from './waiting-lines.ts'

/**
 * What happened when a run was to be stopped.
 * - `stopped`: the run has ended, and its end is saved.
 * - `stopping`: the run was aborted, but its end could not be saved yet, such as on a full disk. It will be saved.
 * - `already-ended`: no run goes on.
 * - `not-found`: there is no such chat.
 */
export type StopResult = 'stopped' | 'stopping' | 'already-ended' | 'not-found'

/** How long a stop waits for the end of its run to be saved. */
const maxStopMs = 1_500

/**
 * The runs of this process. There is one at a time per chat. No run depends on a connection, and each run has exactly
 * one end.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #active: ActiveRuns
  readonly #admissions = new Admissions()
  readonly #lines = new WaitingLines()
  /** Counts who watches which chat. Code that shows a chat to somebody takes a seat here. */
  readonly viewers = new ChatViewers()

  readonly #guard: RunGuard
  #waitingCount = 0

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#active = new ActiveRuns(options.watch)
    this.#guard = new RunGuard({ active: this.#active, storeWatch: options.storeWatch })
  }

  /**
   * Starts a run, or finds the run that an equal submission has started before. Submissions that wait for their chat are
   * admitted in the order in which they came.
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
    if (submission.onBusy === 'reject') return this.#admit(submission, seat)
    const known = this.#lines.isEmpty(submission)
      ? Promise.resolve(undefined)
      : findOrInterrupt(this.#shared(), submission)
    const inTurn = this.#lines.inTurn(submission, async () => (await known) ?? this.#admit(submission, seat))
    // A submission whose run exists already does not have to wait for its turn.
    return Promise.race([known.then(run => run ?? inTurn), inTurn])
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

  /**
   * Stops the run of a chat, also one that a message is just starting. The run is aborted at once. Then this waits
   * until its end is saved, for 1.5 seconds at most.
   */
  async stop(chat: ChatKey): Promise<StopResult> {
    await this.#untilActive(chat)
    return this.stopActive(chat)
  }

  /** The same, but does not wait for messages that are being admitted. */
  async stopActive(chat: ChatKey): Promise<StopResult> {
    const active = this.#active.of(chat)
    if (active !== undefined) {
      active.stoppedBy ??= new RunStopped('stopped', 'Stopped by the user.')
      active.stop.abort(active.stoppedBy)
      const status = await valueWithin(maxStopMs, active.ended)
      if (status === 'late') return 'stopping'
      // The run may have come to its own end before the stop reached it.
      return status === 'stopped' ? 'stopped' : 'already-ended'
    }
    const isThere = (await this.#options.store.chats.get(chat)) !== undefined
    return isThere ? 'already-ended' : 'not-found'
  }

  /** Takes over the runs that another process left behind when it died. See `recoverRuns`. */
  async recover(): Promise<void> {
    // The channels look by themselves for what they have to deliver, when they start.
    await recoverRuns({ ...this.#shared(), onBegin: undefined })
    if (this.#active.count > 0) this.#guard.start()
  }

  /** Returns the runs that go on in this process. */
  underWay(): readonly Pick<ActiveRun, 'run' | 'ended' | 'isAnswered'>[] {
    return this.#active.all()
  }

  /** Takes over a run whose node is gone. Throws when that fails. */
  async takeOver(run: Run): Promise<void> {
    await continueRun({ ...this.#shared(), onBegin: undefined }, run)
    if (this.#active.count > 0) this.#guard.start()
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

  /** Refuses submissions from now on. The runs that go on are not touched. */
  refuseNew(): void {
    this.#active.refuseNew()
  }

  /** Stops every run as interrupted, and waits until they are saved. Refuses submissions from now on. */
  close(): Promise<void> {
    return this.#active.close()
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

  #admit(submission: Submission, seat: Seat | undefined): Promise<Run> {
    return this.#admissions.during(submission, async () => {
      const admission = await admitSubmission(this.#shared(), submission)
      if (admission.type === 'attached') return admission.run
      const { context, sender } = submission
      const begun = beginRun(this.#shared(), admission, { context, sender, seat })
      this.#guard.start()
      return begun
    })
  }

  #shared() {
    return { ...this.#options, active: this.#active, viewers: this.viewers }
  }
}

/** Returns the value of a promise, or `late` when it has none after so many milliseconds. */
async function valueWithin<Value>(ms: number, promise: Promise<Value>): Promise<Value | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
