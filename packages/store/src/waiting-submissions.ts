import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { confirmed, succeeds } from './confirmed-writes.ts'
import { insertFiles, type MessageFile } from './files.ts'
import {
  type Database,
  ofChat,
  readRows,
  running,
  type Schema,
  statement,
  waitingSubmissionRow,
} from './schema.ts'
import { SqlError } from './sql.ts'

/** A submission that waits for its chat. */
export interface WaitingSubmission extends ChatKey {
  /** Names the submission in its chat: the id of its new message, or the id that its answer will have. */
  readonly id: string
  /** The submission as JSON. The store does not read it. */
  readonly body: string
  /** In ISO format. */
  readonly createdAt: string
}

/** Names a submission in its line. */
export type Turn = Pick<WaitingSubmission, 'id' | 'body'>

/** How a submission gets into the line of its chat. */
export interface LineEntry {
  /** How many submissions may wait in the chat, with this one. */
  readonly max: number
  /** The files that a new message brings. `files.write` has written their bytes before. */
  readonly files?: readonly MessageFile[] | undefined
}

/** The submissions that wait for their chats. In each chat they stand in a line. */
export interface WaitingSubmissions {
  /**
   * Adds a submission at the end of the line. Returns
   * - `known` when one with this id waits already,
   * - `full` when as many wait as may,
   * - `no-chat` when the chat does not exist,
   * - `again` when its files must be written once more before the next attempt: see `insertFiles`.
   */
  add(waiting: WaitingSubmission, entry: LineEntry): Promise<'added' | 'known' | 'full' | 'no-chat' | 'again'>
  /** Returns the line of a chat, from its first to its last submission. */
  list(chat: ChatKey): Promise<readonly WaitingSubmission[]>
  first(chat: ChatKey): Promise<WaitingSubmission | undefined>
  find(chat: ChatKey, id: string): Promise<WaitingSubmission | undefined>
  /** Takes a submission out of the line. Returns false when it does not wait, or not any more. */
  remove(chat: ChatKey, id: string): Promise<boolean>
  /** Takes all submissions of a chat out of the line. */
  removeAll(chat: ChatKey): Promise<void>
  /** Returns chats of any owner in which submissions wait although no run goes on, the longest wait first. */
  due(limit: number): Promise<readonly ChatKey[]>
}

/** Returns the waiting submissions in a database. */
export function createWaitingSubmissions(database: Database): WaitingSubmissions {
  const { build, sql } = database
  const inChat = (chat: ChatKey) => build.selectFrom('waiting_submissions').selectAll().where(ofChat(chat))
  const line = (chat: ChatKey) => inChat(chat).orderBy('idx')
  const removeFrom = (chat: ChatKey) => build.deleteFrom('waiting_submissions').where(ofChat(chat))

  async function read(query: ReturnType<typeof inChat>): Promise<readonly WaitingSubmission[]> {
    return (await readRows(database, query, waitingSubmissionRow)).map(waitingFrom)
  }

  async function find(chat: ChatKey, id: string): Promise<WaitingSubmission | undefined> {
    const [found] = await read(inChat(chat).where('id', '=', id))
    return found
  }

  return {
    find,
    list: chat => read(line(chat)),

    async add(waiting, { max, files = [] }) {
      for (;;) {
        const isAdded = await succeeds(['no-effect', 'constraint'], () =>
          sql.write([
            statement(existingChat(database, waiting), { mustChange: true }),
            statement(insertLast(database, waiting, max), { mustChange: true }),
            ...insertFiles(database, waiting, files),
          ]),
        )
        if (isAdded) return 'added'
        if ((await find(waiting, waiting.id)) !== undefined) return 'known'
        if ((await sql.read([statement(existingChat(database, waiting))]))[0]?.length === 0) return 'no-chat'
        if ((await read(line(waiting))).length >= max) return 'full'
        if (files.length > 0) return 'again'
        // Two were added at once, and the other one got the place in the line. This one gets the next place.
      }
    },

    async first(chat) {
      const [found] = await read(line(chat).limit(1))
      return found
    },

    remove(chat, id) {
      const remove = statement(removeFrom(chat).where('id', '=', id), { mustChange: true })
      return succeeds('no-effect', () => sql.write([remove]))
    },

    async removeAll(chat) {
      await confirmed(() => sql.write([statement(removeFrom(chat))]))
    },

    async due(limit) {
      const waiting = await read(dueQuery(database).limit(limit))
      const chats = waiting.map(({ ownerId, chatId }) => ({ ownerId, chatId }))
      return [...new Map(chats.map(chat => [`${chat.ownerId}/${chat.chatId}`, chat])).values()]
    },
  }
}

/**
 * Part of claiming a run: takes its submission out of the line. Has no effect unless the submission is the first. The body
 * counts too: under the same id, another submission may have come after this one was removed.
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

/** Selects what waits in chats without a run. */
function dueQuery({ build }: Database) {
  return build
    .selectFrom('waiting_submissions')
    .selectAll()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.owner_id', '=', 'waiting_submissions.owner_id')
            .whereRef('runs.chat_id', '=', 'waiting_submissions.chat_id')
            .where('runs.status', '=', running),
        ),
      ),
    )
    .orderBy('created_at')
}

function existingChat({ build }: Database, { ownerId, chatId }: ChatKey) {
  return build
    .selectFrom('chats')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '=', chatId)
    .where('removed_at', 'is', null)
}

/** Inserts a submission behind the last one. Has no effect when the line is full. */
function insertLast({ build }: Database, waiting: WaitingSubmission, max: number) {
  const row = build
    .selectFrom('waiting_submissions')
    .where(ofChat(waiting))
    .select(({ val, fn, lit, eb }) => [
      val(waiting.ownerId).as('owner_id'),
      val(waiting.chatId).as('chat_id'),
      val(waiting.id).as('id'),
      eb(fn.coalesce(fn.max('idx'), lit(0)), '+', lit(1)).as('idx'),
      val(waiting.body).as('body'),
      val(waiting.createdAt).as('created_at'),
    ])
    .having(({ fn }) => fn.countAll(), '<', max)
  return build
    .insertInto('waiting_submissions')
    .columns(['owner_id', 'chat_id', 'id', 'idx', 'body', 'created_at'])
    .expression(row)
}

function waitingFrom(row: Schema['waiting_submissions']): WaitingSubmission {
  const { owner_id: ownerId, chat_id: chatId, id, body, created_at: createdAt } = row
  if (isOwnerId(ownerId) && isChatId(chatId)) return { ownerId, chatId, id, body, createdAt }
  throw new SqlError('damaged', `The row of the waiting submission "${id}" is damaged.`)
}
