import type { Store } from '@throughline/store/testing'

/** Sees how a server reads the logs of its chats. */
export class WatchedLog {
  /** How many readers follow a log now. Every open stream is one. */
  readers = 0
  /** The last entry that any reader has read. */
  lastRead = 0
  #change = Promise.withResolvers<void>()

  readonly wrapStore = (store: Store): Store => ({
    ...store,
    log: {
      ...store.log,
      onAppend: (name, listener) => {
        const unlisten = store.log.onAppend(name, listener)
        this.#set(this.readers + 1)
        return () => {
          unlisten()
          this.#set(this.readers - 1)
        }
      },
      read: async (name, after, limit) => {
        const page = await store.log.read(name, after, limit)
        this.lastRead = Math.max(this.lastRead, page.at(-1)?.seq ?? 0)
        return page
      },
    },
  })

  /** Resolves when exactly this many readers follow a log. */
  async untilReaders(count: number): Promise<void> {
    while (this.readers !== count) await this.#change.promise
  }

  #set(readers: number): void {
    this.readers = readers
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}
