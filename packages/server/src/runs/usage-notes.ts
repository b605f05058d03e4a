import type { Usage } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'

interface UsageNotesOptions {
  readonly store: Pick<Store, 'runs'>
  readonly run: Run
  readonly logger: Logger
}

/**
 * Saves what a run has used after each model call, so that it is not forgotten when the process dies. One write at a
 * time: what comes during a write is saved by the next one.
 */
export class UsageNotes {
  readonly #options: UsageNotesOptions
  #next: Usage | undefined
  #isSaving = false

  constructor(options: UsageNotesOptions) {
    this.#options = options
  }

  /** Does not wait until it is saved. A failure is only logged: the run itself finds out when the store fails. */
  save(usage: Usage | undefined): void {
    this.#next = usage
    if (!this.#isSaving) void this.#saveNext()
  }

  async #saveNext(): Promise<void> {
    const { store, run, logger } = this.#options
    this.#isSaving = true
    while (this.#next !== undefined) {
      const text = JSON.stringify(this.#next)
      this.#next = undefined
      try {
        await store.runs.noteUsage(run, text)
      } catch (error) {
        logger.warn({ runId: run.id, err: error }, 'the usage of a run could not be saved yet')
      }
    }
    this.#isSaving = false
  }
}
