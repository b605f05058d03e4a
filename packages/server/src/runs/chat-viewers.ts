import type { LogName } from '@throughline/log/log-store'

/** One viewer's place in front of a chat. Taking or leaving it twice is the same as once, and who has left stays away. */
export interface Seat {
  take(): void
  leave(): void
}

interface Watched {
  count: number
  readonly empty: PromiseWithResolvers<void>
}

/** Counts who watches which chat in this process: streams of a run, followers of the log, whoever waits for an answer. */
export class ChatViewers {
  readonly #watched = new Map<LogName, Watched>()

  seat(chat: LogName): Seat {
    let state: 'free' | 'taken' | 'left' = 'free'
    return {
      take: () => {
        if (state !== 'free') return
        state = 'taken'
        this.#enter(chat)
      },
      leave: () => {
        const wasTaken = state === 'taken'
        state = 'left'
        if (wasTaken) this.#leave(chat)
      },
    }
  }

  /** Resolves as soon as nobody watches the chat. */
  untilNobody(chat: LogName): Promise<void> {
    return this.#watched.get(chat)?.empty.promise ?? Promise.resolve()
  }

  #enter(chat: LogName): void {
    const watched = this.#watched.get(chat) ?? { count: 0, empty: Promise.withResolvers<void>() }
    watched.count += 1
    this.#watched.set(chat, watched)
  }

  #leave(chat: LogName): void {
    const watched = this.#watched.get(chat)
    if (watched === undefined) return
    watched.count -= 1
    if (watched.count > 0) return
    this.#watched.delete(chat)
    watched.empty.resolve()
  }
}
