import { type LogName, logName } from '@throughline/log/log-store'
import type { ChatKey } from '@throughline/protocol/ids'
import type { EndStatus } from '@throughline/protocol/metadata'
import type { Run } from '@throughline/store/runs'

export interface ActiveRun {
  readonly run: Run
  readonly stop: AbortController
  /** Resolves to how the run ended when that is saved, or to nothing when it was given up; never rejects. */
  readonly ended: Promise<EndStatus | undefined>
  /** The answer's end is in the log, where people see it, but not yet saved. A run without an answer needs no more. */
  isAnswered: boolean
}

/** The runs that go on in this process: one at a time per chat. */
export class ActiveRuns {
  readonly #byChat = new Map<LogName, ActiveRun>()

  of(chat: ChatKey): ActiveRun | undefined {
    return this.#byChat.get(logName(chat))
  }

  all(): readonly ActiveRun[] {
    return [...this.#byChat.values()]
  }

  /** Remembers a run as long as it goes on. Whoever waits for its end from now on finds it gone then. */
  keep(active: ActiveRun): void {
    const { run, ended } = active
    const name = logName(run)
    this.#byChat.set(name, active)
    void ended.then(() => {
      // The chat is free as soon as the end is saved, and the next run may be here already.
      if (this.#byChat.get(name) === active) this.#byChat.delete(name)
    })
  }
}
