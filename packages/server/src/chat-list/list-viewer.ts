import type { ChatId, ChatListEvent, ListedChat } from '@throughline/protocol'
import { untilAborted } from '@throughline/protocol/internal'

/** Whoever watches a list of chats. */
export interface ListViewer {
  /** Waits for events and returns them. Returns `undefined` when the signal aborts. The first event is the whole list. */
  next(signal: AbortSignal): Promise<readonly ChatListEvent[] | undefined>
  leave(): void
}

/** What a viewer needs. */
export interface ListViewerOptions {
  readonly chats: readonly ListedChat[]
  readonly onLeave: () => void
}

/**
 * Collects events until the viewer takes them. Of each chat it keeps only the newest event. So a viewer who is slow costs
 * at most one list.
 */
export class CollectedEvents implements ListViewer {
  #events = new Map<ChatId | 'list', ChatListEvent>()
  #arrived = Promise.withResolvers<void>()
  readonly #onLeave: () => void

  constructor({ chats, onLeave }: ListViewerOptions) {
    this.#onLeave = onLeave
    this.#events.set('list', { type: 'list', chats })
    this.#arrived.resolve()
  }

  add(event: Exclude<ChatListEvent, { readonly type: 'list' }>): void {
    const id = event.type === 'chat' ? event.chat.id : event.id
    // Deleted first, so that the events are in the order in which they came.
    this.#events.delete(id)
    this.#events.set(id, event)
    this.#arrived.resolve()
  }

  async next(signal: AbortSignal): Promise<readonly ChatListEvent[] | undefined> {
    await untilAborted(this.#arrived.promise, signal).catch(() => undefined)
    if (signal.aborted) return undefined
    const events = [...this.#events.values()]
    this.#events = new Map()
    this.#arrived = Promise.withResolvers<void>()
    return events
  }

  leave(): void {
    this.#onLeave()
  }
}
