import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import { KeyedMutex } from '@throughline/protocol/internal'
import type { Run, WaitingSubmission } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import type { RunGuard } from '../engine/store-watch.ts'
import { removedFromQueue } from '../refusals/queue-problems.ts'
import { isBusy, shuttingDown } from '../refusals/run-refusals.ts'
import type { RemoteStops } from '../stopping/remote-stops.ts'
import type { ChatViewers, Presence } from '../stream/chat-viewers.ts'
import { beginRun } from './begin-run.ts'
import { interruptFor } from './busy-chat.ts'
import { admitSubmission, type Claimed, claimRun } from './claim-run.ts'
import { enqueue } from './enqueue.ts'
import { placeBehind } from './place-message.ts'
import { type NamedSubmission, nameSubmission } from './saved-submission.ts'
import type { Submission } from './submission.ts'
import { SubmissionQueue } from './submission-queue.ts'

interface SubmissionsOptions extends RunnerOptions {
  readonly active: ActiveRuns
  readonly viewers: ChatViewers
  readonly stops: RemoteStops
  readonly guard: RunGuard
}

/** A submission that is saved. Its run is there, or comes when it is its turn. */
interface BegunOrWaits {
  readonly waits?: true
  readonly run: Promise<Run>
}

/** Turns submissions into runs: at once, or after they have waited in the queue of their chat. */
export class Submissions {
  readonly #options: SubmissionsOptions
  readonly #admissions = new Admissions()
  /** Submissions that find their chat busy join its queue in the order in which they came. That takes several reads and writes. */
  readonly #arrivals = new KeyedMutex<LogName>()
  readonly #queue: SubmissionQueue
  #waitingCount = 0

  constructor(options: SubmissionsOptions) {
    const { store, logger, active } = options
    this.#options = options
    this.#queue = new SubmissionQueue({
      store,
      logger,
      closing: active.closing,
      over: active.over,
      begin: (waiting, named, presence) => this.#beginWaiting(waiting, named, presence),
    })
  }

  /** How many submissions have no run yet. Most of them wait for their chat. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  /** Starts a run, or finds the run of an equal submission: see `Runner.submit`. */
  submit(submission: Submission, presence: Presence | undefined): Promise<Run> {
    return this.#counted(async () => (await this.#begunOrWaits(submission, presence)).run)
  }

  /** Starts a run, or saves the submission in the queue of its chat: see `Runner.submitOrQueue`. */
  async submitOrQueue(submission: Submission): Promise<Run | 'waits'> {
    const saved = Promise.withResolvers<Run | 'waits'>()
    this.#counted(async () => {
      const { waits, run } = await this.#begunOrWaits(submission, undefined)
      if (waits) saved.resolve('waits')
      saved.resolve(await run)
      // Once it waits, nobody is there to be told that it was removed from the queue.
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

  async #begunOrWaits(submission: Submission, presence: Presence | undefined): Promise<BegunOrWaits> {
    const named = nameSubmission(submission)
    if (submission.onBusy === 'reject') return { run: this.#beginOrAttach(named, presence) }
    for (;;) {
      const begun = await this.#arrivals.run(logName(submission), () => this.#beginOrJoin(named, presence))
      if (begun !== 'no-chat') return begun
    }
  }

  /** For a submission that does not wait. If an equal one came before and waits, this is its run too. */
  async #beginOrAttach(named: NamedSubmission, presence: Presence | undefined): Promise<Run> {
    const { store } = this.#options
    const { submission, waitingId } = named
    try {
      return await this.#admit(submission, async () => {
        const admission = await admitSubmission(this.#options, submission)
        if (admission.type === 'claimed') return this.#begin(admission, submission, presence)
        if (admission.type === 'gone') throw removedFromQueue(submission, waitingId)
        return admission.run
      })
    } catch (error) {
      const isWaiting =
        isBusy(error) && (await store.waitingSubmissions.find(submission, waitingId)) !== undefined
      if (!isWaiting) throw error
      const begun = await this.#join(named, presence)
      if (begun === 'no-chat') throw error
      return begun.run
    }
  }

  /** Begins the run of a submission if the chat is free and nobody waits in it. Otherwise the submission waits too. */
  async #beginOrJoin(
    named: NamedSubmission,
    presence: Presence | undefined,
  ): Promise<BegunOrWaits | 'no-chat'> {
    const { submission } = named
    if (this.#options.active.over.aborted) throw shuttingDown()
    const begun = await this.#admit(submission, async () => {
      const claim = await claimRun(this.#options, submission, { type: 'behind-others' })
      return claim.type === 'claimed' ? this.#begin(claim, submission, presence) : claim
    })
    if (!('type' in begun)) return { run: Promise.resolve(begun) }
    if (begun.type === 'attached') return { run: Promise.resolve(begun.run) }
    const behind = begun.type === 'busy' ? begun.activeRun?.id : undefined
    const joined = await this.#join({ ...named, behind }, presence)
    return joined === 'no-chat' ? joined : { ...joined, waits: true }
  }

  /** Lets a submission wait in the store. */
  #join(named: NamedSubmission, presence: Presence | undefined) {
    const join = async () => {
      const joined = await enqueue(this.#options, named)
      if (joined === 'waits') await interruptFor(this.#options, named.submission)
      return joined
    }
    return this.#queue.wait(named, { presence, join })
  }

  /** Begins the run of the submission that is the first in the queue, as soon as the chat is free. */
  #beginWaiting(
    waiting: WaitingSubmission,
    named: NamedSubmission,
    presence: Presence,
  ): Promise<Run | 'gone'> {
    const { store } = this.#options
    return this.#admit(waiting, async () => {
      const submission = await placeBehind(store, named)
      const admission = await admitSubmission(this.#options, submission, { type: 'waited', waiting })
      if (admission.type === 'claimed') return this.#begin(admission, submission, presence)
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
    presence: Presence | undefined,
  ): Promise<Run> {
    const begun = beginRun(this.#options, claimed, { context, sender, model, clientTools, presence })
    // The run is active already.
    this.#options.guard.start()
    return begun
  }
}

/** One submission that is being admitted. */
interface AdmissionUnderWay {
  /** Resolves when the run is active, or when there will be none. Never rejects. */
  readonly ended: Promise<void>
  isEnded: boolean
}

/** The submissions that are being admitted, in each chat. Their runs may be saved, but are not active yet. */
class Admissions {
  readonly #byChat = new Map<LogName, Set<AdmissionUnderWay>>()

  /** Returns the admissions that are under way in a chat now. */
  of(chat: ChatKey): readonly AdmissionUnderWay[] {
    return [...(this.#byChat.get(logName(chat)) ?? [])]
  }

  /** Does the work of one admission, and keeps the admission until the work has ended, with success or not. */
  async during<Result>(chat: ChatKey, work: () => Promise<Result>): Promise<Result> {
    const name = logName(chat)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const admission: AdmissionUnderWay = { ended, isEnded: false }
    const inChat = this.#byChat.get(name) ?? new Set()
    this.#byChat.set(name, inChat.add(admission))
    try {
      return await work()
    } finally {
      admission.isEnded = true
      resolve()
      inChat.delete(admission)
      if (inChat.size === 0) this.#byChat.delete(name)
    }
  }
}
