import type { ChatKey, MessageMetadata } from '@throughline/protocol'
import { type Database, ofChat, statement } from './schema.ts'
import type { Statement } from './sql.ts'

/** Changes of saved messages, by the ids of the messages. */
export interface MessageChanges {
  readonly removed: readonly string[]
  /** The new places of messages that were moved; see `Messages.places`. */
  readonly places: ReadonlyMap<string, number>
  /** The whole new metadata of messages whose metadata has changed. */
  readonly metadata: ReadonlyMap<string, MessageMetadata>
}

/** Part of the end of a run: removes and moves messages, and replaces their metadata. Idempotent. */
export function changeMessages(
  { build }: Database,
  chat: ChatKey,
  { removed, places, metadata }: MessageChanges,
): readonly Statement[] {
  const update = (id: string) => build.updateTable('messages').where(ofChat(chat)).where('id', '=', id)
  // The database deletes the parts of a message with it.
  const remove = (id: string) => build.deleteFrom('messages').where(ofChat(chat)).where('id', '=', id)
  return [
    ...removed.map(id => statement(remove(id))),
    ...Array.from(places, ([id, seq]) => statement(update(id).set({ seq }))),
    ...Array.from(metadata, ([id, said]) => statement(update(id).set({ metadata: JSON.stringify(said) }))),
  ]
}
