import type { ChatKey } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import type { Logger } from 'pino'
import type { ActiveRuns } from '../engine/active-runs.ts'
import { Poll } from '../signals/poll.ts'
import { stopReason } from './ongoing-run.ts'

interface WatchOptions {
  readonly store: Store
  readonly active: ActiveRuns
  readonly logger: Logger
}

/** Aborts the runs of this process whose end another process has asked for. */
export class RemoteStops {
  readonly #options: WatchOptions
  readonly #poll: Poll

  constructor(options: WatchOptions) {
    this.#options = options
    this.#poll = new Poll(
      () => options.active.count > 0,
      () => this.#look(),
    )
  }

  /**
   * Begins a run, and watches it until its end. A stop may be asked for as soon as the run is saved, which is before it is
   * active. So this listens already while the run begins.
   */
  async during<Result>(chat: ChatKey, begin: () => Promise<Result>): Promise<Result> {
    const { store, active } = this.#options
    let isBeginning = true
    let hasRung = false
    const endRings = store.signals.onRing(chat, () => {
      if (isBeginning) hasRung = true
      else if (active.of(chat) !== undefined) void this.#look()
    })
    try {
      return await begin()
    } finally {
      isBeginning = false
      const ended = active.of(chat)?.ended ?? Promise.resolve()
      void ended.then(endRings)
      if (hasRung) void this.#look()
      this.#poll.start()
    }
  }

  /** The same for a run that goes on here already, because this process has taken it over. */
  watch(chat: ChatKey): void {
    void this.during(chat, () => this.#look())
  }

  async #look(): Promise<void> {
    const { store, active, logger } = this.#options
    try {
      for (const { stopRequestedBy, ...run } of await store.runs.toStop()) {
        const found = active.of(run)
        if (stopRequestedBy === undefined || found?.run.id !== run.id || found.isAnswered) continue
        const reason = stopReason(stopRequestedBy)
        if (stopRequestedBy === 'user') found.stoppedBy ??= reason
        found.stop.abort(reason)
      }
    } catch (error) {
      if (!active.isClosing) logger.error({ err: error }, 'stops could not be read; they are read again soon')
    }
  }
}
