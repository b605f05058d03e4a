import { RunLeft } from '@throughline/agents/internal'
import type { ChatKey, RunId } from '@throughline/protocol'
import type { DamagedRun, Run } from '@throughline/store'
import type { Submission } from '../admission/submission.ts'
import { Submissions } from '../admission/submissions.ts'
import { changeChat } from '../changes/change-chat.ts'
import type { PlanChange } from '../changes/plans.ts'
import { type ActiveRun, ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { RunGuard } from '../engine/store-watch.ts'
import { continueRun, recoverRun } from '../recovery/continue-run.ts'
import type { Fate } from '../recovery/fate.ts'
import { setAsideDamaged } from '../recovery/set-aside-run.ts'
import { RemoteStops } from '../stopping/remote-stops.ts'
import { type StopResult, stopActive } from '../stopping/stop-active.ts'
import { ChatViewers, type Presence } from '../stream/chat-viewers.ts'
import { type ImportedHistory, importHistory } from './import-history.ts'

/**
 * The runs of this process. There is one at a time per chat, also when several processes share the store. No run depends
 * on a connection, and each run has exactly one end.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #active: ActiveRuns
  readonly #submissions: Submissions
  readonly #stops: RemoteStops
  readonly #guard: RunGuard
  /** Counts who watches which chat. Code that shows a chat to somebody takes a presence here. */
  readonly viewers = new ChatViewers()

  constructor(options: RunnerOptions) {
    const { store, logger, storeWatch } = options
    this.#options = options
    this.#active = new ActiveRuns(store.signals, options.watch)
    this.#guard = new RunGuard({ active: this.#active, storeWatch })
    this.#stops = new RemoteStops({ store, active: this.#active, logger })
    this.#submissions = new Submissions({ ...this.#shared(), stops: this.#stops, guard: this.#guard })
  }

  /**
   * Starts a run, or finds the run that an equal submission has started before. If the chat is busy, the submission waits
   * in the store, where it survives a restart. Then any process that shares the store may start the run. Submissions
   * that wait are admitted in the order in which they came.
   *
   * The presence is the sender's, if they are going to watch the run. It is taken as soon as the run is active, so that the
   * run never seems to have no viewer.
   */
  async submit(submission: Submission, presence?: Presence): Promise<Run> {
    await this.#options.storeWatch.assertWritable()
    return this.#submissions.submit(submission, presence)
  }

  /** As `submit`, but returns `waits` as soon as a submission whose chat is busy is saved in the queue. */
  async submitOrQueue(submission: Submission): Promise<Run | 'waits'> {
    await this.#options.storeWatch.assertWritable()
    return this.#submissions.submitOrQueue(submission)
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
    return this.#submissions.waitingCount
  }

  /** Returns the run that goes on in a chat in this process. Its `ended` resolves when it is over. */
  active(chat: ChatKey): Pick<ActiveRun, 'run' | 'ended'> | undefined {
    return this.#active.of(chat)
  }

  /** Aborts when the server refuses submissions, and nobody waits for a run any more. */
  get over(): AbortSignal {
    return this.#active.over
  }

  /**
   * Stops the run of a chat, also one that a message is just starting, and also one of another process. With `only`, no
   * other run than that one is stopped. Waits until the end of the run is saved, for 1.5 seconds at most.
   */
  async stop(chat: ChatKey, only?: RunId): Promise<StopResult> {
    // A run that somebody can name has begun.
    if (only === undefined) await this.#submissions.untilActive(chat)
    return this.stopActive(chat, only)
  }

  /** The same, but does not wait for messages that are being admitted. */
  stopActive(chat: ChatKey, only?: RunId): Promise<StopResult> {
    return stopActive(this.#shared(), chat, only)
  }

  /** Takes up the submissions that wait, now and every two seconds. */
  takeUpQueues(): void {
    this.#submissions.takeUpQueues()
  }

  /** Returns the runs that go on in this process. */
  underWay(): readonly Pick<ActiveRun, 'run' | 'ended' | 'isAnswered'>[] {
    return this.#active.all()
  }

  /** Takes over a run whose node, or whose process, is gone. Throws when that fails. */
  async takeOver(run: Run, fate: Fate): Promise<void> {
    const takeOver = this.#options.store.isShared ? continueRun : recoverRun
    await takeOver({ ...this.#shared(), onBegin: undefined }, run, fate)
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

  /** Begins no run from now on: other nodes begin those of new submissions, and of those that wait in the store. */
  leaveNew(): void {
    this.#active.leaveNew()
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
    await this.#submissions.close()
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
