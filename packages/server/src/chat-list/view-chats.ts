import { encodeSse, type OwnerId } from '@throughline/protocol'
import { type Pieces, piecesOf } from '../stream/pieces.ts'
import type { ViewSignals } from '../stream/run-pages.ts'
import type { ChatLists } from './chat-lists.ts'

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
