import type { ChatKey } from '@throughline/protocol'
import { chatColumns, type Database, ofChat, statement } from './schema.ts'
import type { Statement } from './sql.ts'

/** Older than every file. The next sweep removes the bytes. */
const longAgo = new Date(0).toISOString()

/**
 * Part of removing a message that waits: removes the row of a file that the message has brought, unless a saved message,
 * another message that waits or a shared copy has the same file. Must come after the statement that removes the message.
 * The bytes are removed by the next sweep of unsaved files, within an hour.
 *
 * Somebody may bring the same file at the same moment. They note it before they save it: see `UnsavedFiles`. So the row
 * stays if somebody else has noted the file.
 */
export function forgetFile(
  { build }: Database,
  { id, ...key }: ChatKey & { readonly id: string },
): readonly Statement[] {
  const chat = { ownerId: key.ownerId, chatId: key.chatId }
  const note = build
    .insertInto('unsaved_files')
    .values({ ...chatColumns(chat), id, written_at: longAgo, sweep_at: null })
    .onConflict(conflict => conflict.columns(['owner_id', 'chat_id', 'id']).doNothing())
  // The ids of files are made from their contents. No other text contains one by chance.
  const named = `%${id}%`
  const remove = build
    .deleteFrom('files')
    .where(ofChat(chat))
    .where('id', '=', id)
    .where(({ and, not, exists, selectFrom }) =>
      and([
        exists(
          selectFrom('unsaved_files')
            .select('id')
            .where(ofChat(chat))
            .where('id', '=', id)
            .where('written_at', '=', longAgo),
        ),
        not(exists(selectFrom('parts').select('idx').where(ofChat(chat)).where('body', 'like', named))),
        not(exists(selectFrom('shares').select('key').where(ofChat(chat)).where('file_ids', 'like', named))),
        not(
          exists(
            selectFrom('waiting_submissions').select('idx').where(ofChat(chat)).where('body', 'like', named),
          ),
        ),
      ]),
    )
  return [statement(note), statement(remove)]
}
