import { type LogName, logName } from '@throughline/log'
import type { ChatKey, RunId } from '@throughline/protocol'

/**
 * The presence of one viewer of a chat. `take` and `leave` are idempotent, and a presence that was left cannot be taken
 * again.
 */
export interface Presence {
  /** `asked`: the run that the viewer has asked for. */
  take(asked?: RunId): void
  leave(): void
}

interface Watched {
  count: number
  /** The run whose asker has left while others watch. Nobody has come since. */
  leftBehind?: RunId | undefined
  /** Made when somebody waits for it: thousands of chats may be watched, and few are waited for. */
  unwanted?: PromiseWithResolvers<void> | undefined
}

/**
 * Counts who watches which chat in this process: the streams of runs, the followers of logs, and requests that wait
 * for an answer.
 */
export class ChatViewers {
  readonly #watched = new Map<LogName, Watched>()
  #count = 0

  /** How many viewers there are, of all chats. */
  get count(): number {
    return this.#count
  }

  presence(chat: ChatKey): Presence {
    const name = logName(chat)
    let state: 'free' | 'taken' | 'left' = 'free'
    let asked: RunId | undefined
    return {
      take: runId => {
        if (state !== 'free') return
        state = 'taken'
        asked = runId
        this.#enter(name)
      },
      leave: () => {
        const wasTaken = state === 'taken'
        state = 'left'
        if (wasTaken) this.#leave(name, asked)
      },
    }
  }

  /**
   * Resolves as soon as nobody watches the chat, or as soon as whoever asked for the run has left. A stock client leaves when a
   * person stops the answer, also when the chat is open in a second tab. If somebody has come after that, they count: it may be
   * the same person, after a reload.
   */
  async untilUnwanted({ id, ...chat }: ChatKey & { readonly id: RunId }): Promise<void> {
    for (;;) {
      const watched = this.#watched.get(logName(chat))
      if (watched === undefined || watched.leftBehind === id) return
      watched.unwanted ??= Promise.withResolvers()
      await watched.unwanted.promise
    }
  }

  #enter(name: LogName): void {
    const watched = this.#watched.get(name) ?? { count: 0 }
    watched.count += 1
    watched.leftBehind = undefined
    this.#count += 1
    this.#watched.set(name, watched)
  }

  #leave(name: LogName, asked: RunId | undefined): void {
    const watched = this.#watched.get(name)
    if (watched === undefined) return
    watched.count -= 1
    this.#count -= 1
    if (watched.count === 0) this.#watched.delete(name)
    else if (asked === undefined) return
    watched.leftBehind = asked
    watched.unwanted?.resolve()
    watched.unwanted = undefined
  }
}
