import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'

/**
 * The seat of one viewer of a chat. `take` and `leave` are idempotent, and a seat that was left cannot be taken
 * again.
 */
export interface Seat {
  take(): void
  leave(): void
}

interface Watched {
  count: number
  /** Made when somebody waits for it: thousands of chats may be watched, and few are waited for. */
  empty?: PromiseWithResolvers<void>
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

  seat(chat: ChatKey): Seat {
    const name = logName(chat)
    let state: 'free' | 'taken' | 'left' = 'free'
    return {
      take: () => {
        if (state !== 'free') return
        state = 'taken'
        this.#enter(name)
      },
      leave: () => {
        const wasTaken = state === 'taken'
        state = 'left'
        if (wasTaken) this.#leave(name)
      },
    }
  }

  /** Resolves as soon as nobody watches the chat. */
  untilNobody(chat: ChatKey): Promise<void> {
    const watched = this.#watched.get(logName(chat))
    if (watched === undefined) return Promise.resolve()
    watched.empty ??= Promise.withResolvers()
    return watched.empty.promise
  }

  #enter(name: LogName): void {
    const watched = this.#watched.get(name) ?? { count: 0 }
    watched.count += 1
    this.#count += 1
    this.#watched.set(name, watched)
  }

  #leave(name: LogName): void {
    const watched = this.#watched.get(name)
    if (watched === undefined) return
    watched.count -= 1
    this.#count -= 1
    if (watched.count > 0) return
    this.#watched.delete(name)
    watched.empty?.resolve()
  }
}
