import type { ChatKey } from '@throughline/protocol'
import { type Database, ofChat } from './schema.ts'
import type { Turn } from './waiting-submissions.ts'

/**
 * Part of claiming a run: takes its submission out of the line. Has no effect unless the submission is the first. The body
 * counts too: somebody may have edited the message since it was read. Or under the same id, another submission may have
 * come after this one was removed.
 */
export function leaveLine({ build }: Database, chat: ChatKey, { id, body }: Turn) {
  return build
    .deleteFrom('waiting_submissions')
    .where(ofChat(chat))
    .where('id', '=', id)
    .where('body', '=', body)
    .where(({ eb, selectFrom }) =>
      eb(
        'idx',
        '=',
        selectFrom('waiting_submissions as line')
          .select(({ fn }) => fn.min('line.idx').as('first'))
          .where('line.owner_id', '=', chat.ownerId)
          .where('line.chat_id', '=', chat.chatId),
      ),
    )
}

/** Part of claiming a run whose submission does not wait. Selects no row when others wait in the chat. */
export function nobodyWaits({ build }: Database, chat: ChatKey) {
  return build
    .selectNoFrom(({ lit }) => lit(1).as('free'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('waiting_submissions').select('id').where(ofChat(chat)))),
    )
}
