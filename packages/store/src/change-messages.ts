import type { ChatKey } from '@throughline/protocol/ids'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import { type Database, ofChat, statement } from './schema.ts'
import type { Statement } from './sql.ts'

/** What becomes of messages that are saved, by their ids. */
export interface MessageChanges {
  readonly removed: readonly string[]
  /** Of those that stand elsewhere now, the new place; see `Messages.places`. */
  readonly places: ReadonlyMap<string, number>
  /** Of those that say something else about themselves now, all of it. */
  readonly metadata: ReadonlyMap<string, MessageMetadata>
}

/** Part of a run's end: removes, moves and describes messages. Doing it twice is the same as once. */
export function changeMessages(
  { build }: Database,
  chat: ChatKey,
  { removed, places, metadata }: MessageChanges,
): readonly Statement[] {
  const update = (id: string) => build.updateTable('messages').where(ofChat(chat)).where('id', '=', id)
  // Their parts go with them.
  const remove = (id: string) => build.deleteFrom('messages').where(ofChat(chat)).where('id', '=', id)
  return [
    ...removed.map(id => statement(remove(id))),
    ...Array.from(places, ([id, seq]) => statement(update(id).set({ seq }))),
    ...Array.from(metadata, ([id, said]) => statement(update(id).set({ metadata: JSON.stringify(said) }))),
  ]
}
