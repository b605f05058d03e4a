import { encodeSse, type OwnerId } from '@throughline/protocol'
import { type Pieces, piecesOf } from '../stream/bytes/encoded-pages.ts'
import type { ViewSignals } from '../stream/run-pages.ts'
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

/**
 * Shows the chats of an owner: the list as it is, then every change. The SSE events have no ids. Whoever was cut off gets
 * the whole list again.
 */
export async function* viewChats(
  lists: Pick<ChatLists, 'watch'>,
  ownerId: OwnerId,
  { signal, closing }: ViewSignals,
): AsyncGenerator<Pieces, void, undefined> {
  const viewer = await lists.watch(ownerId)
  const left = AbortSignal.any([signal, closing])
  try {
    for (;;) {
      const events = await viewer.next(left)
      if (events === undefined) return
      yield piecesOf(events.map(event => encodeSse({ data: JSON.stringify(event) })))
    }
  } finally {
    viewer.leave()
  }
}
