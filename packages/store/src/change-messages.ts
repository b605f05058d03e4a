import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import { type Database, statement } from './schema.ts'
import type { Statement } from './sql.ts'

/** What becomes of messages that are saved, by their ids. */
export interface MessageChanges {
  readonly removed: readonly string[]
  /** Of those that stand elsewhere now, the new place; see `Messages.places`. */
  readonly places: ReadonlyMap<string, number>
  /** Of those that say something else about themselves now, all of it. */
  readonly metadata: ReadonlyMap<string, MessageMetadata>
}

interface ChatKey {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
}

/** Part of a run's end: removes, moves and describes messages. Doing it twice is the same as once. */
export function changeMessages(
  { build }: Database,
  { ownerId, chatId }: ChatKey,
  { removed, places, metadata }: MessageChanges,
): readonly Statement[] {
  const update = (id: string) =>
    build
      .updateTable('messages')
      .where('owner_id', '=', ownerId)
      .where('chat_id', '=', chatId)
      .where('id', '=', id)
  // Their parts go with them.
  const remove = (id: string) =>
    build
      .deleteFrom('messages')
      .where('owner_id', '=', ownerId)
      .where('chat_id', '=', chatId)
      .where('id', '=', id)
  return [
    ...removed.map(id => statement(remove(id))),
    ...Array.from(places, ([id, seq]) => statement(update(id).set({ seq }))),
    ...Array.from(metadata, ([id, said]) => statement(update(id).set({ metadata: JSON.stringify(said) }))),
  ]
}
