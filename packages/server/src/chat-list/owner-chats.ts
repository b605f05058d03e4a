import { setTimeout as pause } from 'node:timers/promises'
import type { ChatId, ListedChat, OwnerId } from '@throughline/protocol'
import { untilAborted } from '@throughline/protocol/internal'
import type { Store } from '@throughline/store'
import type { Logger } from 'pino'
import { CollectedEvents, type ListViewer } from './list-viewer.ts'

/** What lists of chats need. */
export interface ListOptions {
  readonly store: Pick<Store, 'chatList' | 'isShared' | 'signals'>
  readonly logger: Logger
}

/** Whose chats, and who is told that nobody watches them any more. */
interface WatchedOwner {
  readonly ownerId: OwnerId
  readonly onLeft: () => void
}

/** How many chats a list has at most. */
export const maxListed = 500

/** How long rings are collected before the rows are read, in milliseconds. So an owner causes at most 10 reads a second. */
const collectMs = 100

/** When more chats than this have changed, the whole list is read instead. */
const maxSome = 50

/** How often the whole list is read, for rings that were lost, in milliseconds. In one process no ring is lost. */
const readAllMs = { shared: 5_000, alone: 60_000 }

/** After a failure the whole list is read again so soon, in milliseconds. */
const retryMs = 2_000

/**
 * The chats of one owner, as this process has read them last. Reads a chat again when somebody rings for it, and tells all
 * viewers what has changed. Ends when the last viewer has left.
 */
export class OwnerChats {
  readonly #options: ListOptions
  readonly #owner: WatchedOwner
  readonly #viewers = new Set<CollectedEvents>()
  readonly #left = new AbortController()
  readonly #firstRead: Promise<void>
  #viewerCount = 0
  #known = new Map<ChatId, ListedChat>()
  #rung = new Set<ChatId>()
  #wake = Promise.withResolvers<void>()
  #hasFailed = false

  constructor(options: ListOptions, owner: WatchedOwner) {
    this.#options = options
    this.#owner = owner
    const endRings = options.store.signals.onOwnerRing(owner.ownerId, chatId => {
      this.#rung.add(chatId)
      this.#wake.resolve()
    })
    this.#left.signal.addEventListener('abort', endRings)
    this.#firstRead = this.#readAll()
    this.#firstRead.then(
      () => this.#follow(),
      // Everybody who enters gets the error.
      () => undefined,
    )
  }

  /** Adds a viewer, who gets the whole list first. Throws when it cannot be read. */
  async enter(): Promise<ListViewer> {
    this.#viewerCount += 1
    try {
      await this.#firstRead
    } catch (error) {
      this.#leave()
      throw error
    }
    const viewer = new CollectedEvents({
      chats: [...this.#known.values()],
      onLeave: () => {
        if (this.#viewers.delete(viewer)) this.#leave()
      },
    })
    this.#viewers.add(viewer)
    return viewer
  }

  #leave(): void {
    this.#viewerCount -= 1
    if (this.#viewerCount > 0) return
    this.#owner.onLeft()
    this.#left.abort()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#left
    for (;;) {
      await this.#untilDue()
      if (this.#rung.size > 0) await pause(collectMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const rung = [...this.#rung]
      this.#rung = new Set()
      // Made before the read. A ring during the read leads to another read.
      this.#wake = Promise.withResolvers()
      try {
        const readsAll = this.#hasFailed || rung.length === 0 || rung.length > maxSome
        await (readsAll ? this.#readAll() : this.#readSome(rung))
        this.#hasFailed = false
      } catch (error) {
        this.#hasFailed = true
        this.#options.logger.warn({ err: error }, 'a list of chats could not be read; it is read again soon')
      }
    }
  }

  /** Waits for a ring, or until the whole list should be read again. */
  async #untilDue(): Promise<void> {
    const { isShared } = this.#options.store
    const ms = this.#hasFailed ? retryMs : isShared ? readAllMs.shared : readAllMs.alone
    const timer = setTimeout(() => this.#wake.resolve(), ms).unref()
    await untilAborted(this.#wake.promise, this.#left.signal).catch(() => undefined)
    clearTimeout(timer)
  }

  async #readAll(): Promise<void> {
    const chats = await this.#options.store.chatList.newest(this.#owner.ownerId, { limit: maxListed })
    const ids = new Set(chats.map(({ id }) => id))
    for (const id of [...this.#known.keys()]) if (!ids.has(id)) this.#forget(id)
    for (const chat of chats) this.#note(chat)
  }

  async #readSome(ids: readonly ChatId[]): Promise<void> {
    const chats = await this.#options.store.chatList.some(this.#owner.ownerId, ids)
    const found = new Set(chats.map(({ id }) => id))
    for (const id of ids) if (!found.has(id)) this.#forget(id)
    for (const chat of chats) this.#note(chat)
  }

  #note(chat: ListedChat): void {
    const known = this.#known.get(chat.id)
    if (JSON.stringify(known) === JSON.stringify(chat)) return
    this.#known.set(chat.id, chat)
    for (const viewer of this.#viewers) viewer.add({ type: 'chat', chat })
  }

  #forget(id: ChatId): void {
    if (!this.#known.delete(id)) return
    for (const viewer of this.#viewers) viewer.add({ type: 'gone', id })
  }
}
