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

/** The runs that go on in this process: one at a time per chat. */
export class ActiveRuns {
  readonly #watch: RunWatch | undefined
  readonly #byChat = new Map<LogName, ActiveRun>()
  readonly #closing = new AbortController()
  readonly #signals: Signals

  /** Rings for a chat when a run of it has ended. Others may wait for that, also in other processes. */
  constructor(signals: Signals, watch?: RunWatch) {
    this.#signals = signals
    this.#watch = watch
  }

  /** True once the server is shutting down. Then no run may start. */
  get isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  /** Aborts when the server begins to shut down. */
  get closing(): AbortSignal {
    return this.#closing.signal
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

  /** No run may start from now on. */
  refuseNew(): void {
    this.#closing.abort()
  }

  /** Stops every run as interrupted, and waits until they are saved. */
  async close(): Promise<void> {
    this.refuseNew()
    const all = this.all()
    this.stopAll(new RunStopped('interrupted', serverSentence('shut-down')))
    await Promise.all(all.map(({ ended }) => ended))
  }

  /** Aborts every run. Does not wait for their ends. */
  stopAll(reason: RunStopped): void {
    for (const { stop } of this.#byChat.values()) stop.abort(reason)
  }
}
