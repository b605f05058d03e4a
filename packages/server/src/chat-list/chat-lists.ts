import type { OwnerId } from '@throughline/protocol'
import type { ListViewer } from './list-viewer.ts'
import { type ListOptions, OwnerChats } from './owner-chats.ts'

/**
 * The lists of chats that somebody watches in this process. All viewers of an owner share one list, which is read once
 * for all of them.
 */
export class ChatLists {
  readonly #options: ListOptions
  readonly #byOwner = new Map<OwnerId, OwnerChats>()

  constructor(options: ListOptions) {
    this.#options = options
  }

  /** Begins to watch the chats of an owner. Throws when they cannot be read. The viewer has to `leave` at the end. */
  watch(ownerId: OwnerId): Promise<ListViewer> {
    return (this.#byOwner.get(ownerId) ?? this.#open(ownerId)).enter()
  }

  #open(ownerId: OwnerId): OwnerChats {
    const list = new OwnerChats(this.#options, { ownerId, onLeft: () => this.#byOwner.delete(ownerId) })
    this.#byOwner.set(ownerId, list)
    return list
  }
}
