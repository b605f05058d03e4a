import { setTimeout as pause } from 'node:timers/promises'
import { RunStopped } from '@throughline/agents/internal'
import { type LogName, logName } from '@throughline/log'
import type { ChatKey, EndStatus } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import type { Run, Signals } from '@throughline/store'

/** A run that goes on in this process. */
export interface ActiveRun {
  readonly run: Run
  readonly stop: AbortController
  /** Resolves with the run's end once that is saved; with `undefined` when it could not be saved. Never rejects. */
  readonly ended: Promise<EndStatus | undefined>
  /**
   * The end of the answer is in the log, where viewers see it, but it is not saved yet. Always true for runs without an
   * answer.
   */
  isAnswered: boolean
  /** Set when somebody stops the run. The end says so, also when it can only be saved later. */
  stoppedBy?: RunStopped
}

/** Who wants to know when runs begin and end in this process. */
export interface RunWatch {
  runStarted(): void
  /** `undefined`: this process has saved no end, because it could not or because another one goes on with the run. */
  runEnded(status: EndStatus | undefined): void
}

/** How long a process that goes down waits for the ends of its runs, in milliseconds. */
const maxEndMs = 5_000

/** The runs that go on in this process: one at a time per chat. */
export class ActiveRuns {
  readonly #watch: RunWatch | undefined
  readonly #byChat = new Map<LogName, ActiveRun>()
  readonly #closing = new AbortController()
  readonly #over = new AbortController()
  readonly #signals: Signals

  /** Rings for a chat when a run of it has ended. Others may wait for that, also in other processes. */
  constructor(signals: Signals, watch?: RunWatch) {
    this.#signals = signals
    this.#watch = watch
  }

  /** True once the server is shutting down. Then no run starts in this process. */
  get isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  /** Aborts when no run starts in this process any more. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * Aborts when submissions are refused, and nobody waits any more. Between `closing` and this, a node that leaves its runs
   * to others still accepts submissions: their runs begin on another node.
   */
  get over(): AbortSignal {
    return this.#over.signal
  }

  get count(): number {
    return this.#byChat.size
  }

  /** Returns all of them. */
  all(): readonly ActiveRun[] {
    return [...this.#byChat.values()]
  }

  of(chat: ChatKey): ActiveRun | undefined {
    return this.#byChat.get(logName(chat))
  }

  /** Keeps a run until it has ended. */
  keep(active: ActiveRun): void {
    const { run, ended } = active
    const name = logName(run)
    this.#byChat.set(name, active)
    this.#watch?.runStarted()
    void ended.then(status => {
      this.#watch?.runEnded(status)
      // The chat is free as soon as the end is saved, so the next run may be here already.
      if (this.#byChat.get(name) === active) this.#byChat.delete(name)
      this.#signals.ring(run)
    })
  }

  /** No run starts in this process from now on. Submissions are still accepted: other nodes begin their runs. */
  leaveNew(): void {
    this.#closing.abort()
  }

  /** Submissions are refused from now on. */
  refuseNew(): void {
    this.leaveNew()
    this.#over.abort()
  }

  /**
   * Stops every run as interrupted, and waits until they are saved, for five seconds at most. A database that is away may
   * not come back soon. The next process takes over what is not saved.
   */
  async close(): Promise<void> {
    this.refuseNew()
    const all = this.all()
    this.stopAll(new RunStopped('interrupted', serverSentence('shut-down')))
    const saved = Promise.all(all.map(({ ended }) => ended))
    await Promise.race([saved, pause(maxEndMs, undefined, { ref: false })])
  }

  /** Aborts every run. Does not wait for their ends. */
  stopAll(reason: RunStopped): void {
    for (const { stop } of this.#byChat.values()) stop.abort(reason)
  }
}
