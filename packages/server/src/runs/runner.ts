import { RunStopped } from '@throughline/agents/internal'
import type { ChatKey } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { PlanChange } from '../changes/planned.ts'
import { type ActiveRun, ActiveRuns } from './active-runs.ts'
import { Admissions } from './admissions.ts'
import { admitSubmission, findOrInterrupt } from './admit-submission.ts'
import { beginRun } from './begin-run.ts'
import { changeChat } from './change-chat.ts'
import { ChatViewers, type Seat } from './chat-viewers.ts'
import { type ImportedHistory, importHistory } from './import-history.ts'
import { recoverRuns } from './recover-runs.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { Submission } from './submission.ts'
import { WaitingLines } from './waiting-lines.ts'

/** What happened when a run was to be stopped. `already-ended`: no run goes on. `not-found`: there is no such chat. */
export type StopResult = 'stopped' | 'already-ended' | 'not-found'

/**
 * The runs of this process. There is one at a time per chat. No run depends on a connection, and each run has exactly
 * one end.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #active = new ActiveRuns()
  readonly #admissions = new Admissions()
  readonly #lines = new WaitingLines()
  /** Counts who watches which chat. Code that shows a chat to somebody takes a seat here. */
  readonly viewers = new ChatViewers()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /**
   * Starts a run, or finds the run that an equal submission has started before. Submissions that wait for their chat are
   * admitted in the order in which they came.
   *
   * The seat is the sender's, if they are going to watch the run. It is taken as soon as the run is active, so that the
   * run never seems to have no viewer.
   */
  async submit(submission: Submission, seat?: Seat): Promise<Run> {
    if (submission.onBusy === 'reject') return this.#admit(submission, seat)
    const known = this.#lines.isEmpty(submission)
      ? Promise.resolve(undefined)
      : findOrInterrupt(this.#shared(), submission)
    const inTurn = this.#lines.inTurn(submission, async () => (await known) ?? this.#admit(submission, seat))
    // A submission whose run exists already does not have to wait for its turn.
    return Promise.race([known.then(run => run ?? inTurn), inTurn])
  }

  /** Deletes, moves or describes messages of a chat. Returns false when there is no such chat. See `changeChat`. */
  change(chat: ChatKey, plan: PlanChange): Promise<boolean> {
    return changeChat(this.#shared(), chat, plan)
  }

  /** Begins a new chat with messages that were written elsewhere. Returns false when the chat exists. See `importHistory`. */
  importHistory(history: ImportedHistory): Promise<boolean> {
    return importHistory(this.#shared(), history)
  }

  /** Returns the run that goes on in a chat in this process. Its `ended` resolves when it is over. */
  active(chat: ChatKey): Pick<ActiveRun, 'run' | 'ended'> | undefined {
    return this.#active.of(chat)
  }

  /** Stops the run of a chat, also one that a message is just starting. Waits until its end is saved. */
  async stop(chat: ChatKey): Promise<StopResult> {
    await this.#untilActive(chat)
    return this.stopActive(chat)
  }

  /** The same, but does not wait for messages that are being admitted. */
  async stopActive(chat: ChatKey): Promise<StopResult> {
    const active = this.#active.of(chat)
    if (active !== undefined) {
      active.stop.abort(new RunStopped('stopped', 'Stopped by the user.'))
      // The run may have come to its own end before the stop reached it.
      return (await active.ended) === 'stopped' ? 'stopped' : 'already-ended'
    }
    const isThere = (await this.#options.store.chats.get(chat)) !== undefined
    return isThere ? 'already-ended' : 'not-found'
  }

  /** Ends the runs that another process left behind when it died. See `recoverRuns`. */
  recover(): Promise<void> {
    return recoverRuns(this.#shared())
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
      return beginRun(this.#shared(), admission, { context, sender, seat })
    })
  }

  #shared() {
    return { ...this.#options, active: this.#active, viewers: this.viewers }
  }
}
