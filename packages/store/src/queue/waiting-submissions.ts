import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { z } from 'zod'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import {
  existingChat,
  ofChat,
  readRows,
  running,
  type StoreDatabase,
  statement,
} from '../database/database.ts'
import { type Schema, waitingSubmissionRow } from '../database/schema.ts'
import { SqlError, type Statement } from '../database/sql.ts'
import { forgetFile, insertFiles, type MessageFile } from '../files/files.ts'
import { type DamagedSubmission, type DueChats, readDue, removeDamaged } from './due-submissions.ts'

/** A submission that waits for its chat. */
export interface WaitingSubmission extends ChatKey {
  /** Names the submission in its chat: the id of its new message, or the id that its answer will have. */
  readonly id: string
  /** The submission as JSON. The store does not read it. */
  readonly body: string
  /** In ISO format. */
  readonly createdAt: string
}

/** Names a submission that waits, with the body that it had when it was read. */
export type SubmissionVersion = Pick<WaitingSubmission, 'id' | 'body'>

/** How a submission gets into the queue of its chat. */
export interface QueueEntry {
  /** How many submissions may wait in the chat, with this one. */
  readonly max: number
  /** The files that a new message brings. `files.write` has written their bytes before. */
  readonly files?: readonly MessageFile[] | undefined
  /**
   * When the submission interrupts the run that has the chat: the time, in ISO format. Then the stop is asked for in the
   * same transaction. A run that the submission itself has started is not stopped.
   */
  readonly interruptAt?: string | undefined
}

/** Names a submission that waits. */
export type WaitingName = Pick<WaitingSubmission, 'ownerId' | 'chatId' | 'id'>

/** The submissions that wait for their chats. Each chat has one queue. */
export interface WaitingSubmissions {
  /**
   * Adds a submission at the end of the queue. Returns
   * - `known` when one with this id waits already,
   * - `full` when as many wait as may,
   * - `no-chat` when the chat does not exist,
   * - `again` when its files must be written once more before the next attempt: see `insertFiles`.
   */
  add(
    waiting: WaitingSubmission,
    entry: QueueEntry,
  ): Promise<'added' | 'known' | 'full' | 'no-chat' | 'again'>
  /** Returns the queue of a chat, from its first to its last submission. */
  list(chat: ChatKey): Promise<readonly WaitingSubmission[]>
  first(chat: ChatKey): Promise<WaitingSubmission | undefined>
  find(chat: ChatKey, id: string): Promise<WaitingSubmission | undefined>
  /** Returns those of the named submissions that still wait. */
  stillWaiting<Name extends WaitingName>(names: readonly Name[]): Promise<ReadonlySet<Name>>
  /**
   * Takes a submission out of the queue. Returns false when it does not wait, or not any more. The files that it has brought
   * go too, if nothing else in the chat uses them.
   */
  remove(chat: ChatKey, id: string, fileIds?: readonly string[]): Promise<boolean>
  /**
   * Gives a submission another body. It keeps its id and its place in the queue. Returns false, and changes nothing, when it
   * does not wait any more, or when its body is not the named one any more. So of a change and a run that begins with the
   * submission, only one happens: the run takes it out of the queue with its body, see `takeFromQueue`.
   */
  rewrite(chat: ChatKey, named: SubmissionVersion, body: string): Promise<boolean>
  /** Removes a row that does not name a chat. */
  removeDamaged(damaged: DamagedSubmission): Promise<void>
  /** Takes all submissions of a chat out of the queue. */
  removeAll(chat: ChatKey): Promise<void>
  /** Returns chats of any owner in which submissions wait although no run goes on, the longest wait first. */
  due(limit: number): Promise<DueChats>
}

/** Returns the waiting submissions in a database. */
export function createWaitingSubmissions(database: StoreDatabase): WaitingSubmissions {
  const { build, sql } = database
  const inChat = (chat: ChatKey) => build.selectFrom('waiting_submissions').selectAll().where(ofChat(chat))
  const queueOf = (chat: ChatKey) => inChat(chat).orderBy('idx')
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
    list: chat => read(queueOf(chat)),

    async add(waiting, { max, files = [], interruptAt }) {
      for (;;) {
        const isAdded = await succeeds(['no-effect', 'constraint'], () =>
          sql.write([
            statement(existingChat(database, waiting), { mustChange: true }),
            statement(insertLast(database, waiting, max), { mustChange: true }),
            ...insertFiles(database, waiting, files),
            ...(interruptAt === undefined ? [] : [interruptFor(database, waiting, interruptAt)]),
          ]),
        )
        if (isAdded) return 'added'
        if ((await find(waiting, waiting.id)) !== undefined) return 'known'
        if ((await sql.read([statement(existingChat(database, waiting))]))[0]?.length === 0) return 'no-chat'
        if ((await read(queueOf(waiting))).length >= max) return 'full'
        if (files.length > 0) return 'again'
        // Two were added at once, and the other one got the place in the queue. This one gets the next place.
      }
    },

    async first(chat) {
      const [found] = await read(queueOf(chat).limit(1))
      return found
    },

    stillWaiting: names => stillWaiting(database, names),

    remove(chat, id, fileIds = []) {
      const remove = statement(removeFrom(chat).where('id', '=', id), { mustChange: true })
      const forget = fileIds.flatMap(fileId => forgetFile(database, { ...chat, id: fileId }))
      return succeeds('no-effect', () => sql.write([remove, ...forget]))
    },

    rewrite: (chat, named, body) =>
      succeeds(
        'no-effect',
        () => sql.write([rewriteRow(database, { ...chat, id: named.id, body: named.body }, body)]),
        async () => (await find(chat, named.id))?.body === body,
      ),

    removeDamaged: damaged => removeDamaged(database, damaged),

    async removeAll(chat) {
      await confirmed(() => sql.write([statement(removeFrom(chat))]))
    },

    due: limit => readDue(database, limit),
  }
}

async function stillWaiting<Name extends WaitingName>(
  database: StoreDatabase,
  names: readonly Name[],
): Promise<ReadonlySet<Name>> {
  const keyOf = ({ ownerId, chatId, id }: WaitingName) => [ownerId, chatId, id]
  const named = database.dialect.textRows(['owner_id', 'chat_id', 'id'])
  const select = `select owner_id, chat_id, id from ${named} as named
    join waiting_submissions using (owner_id, chat_id, id)`
  const query = { sql: select, sets: [[JSON.stringify(names.map(keyOf))]] }
  const rows = await readRows(database, query, nameRow)
  const found = new Set(rows.map(({ owner_id, chat_id, id }) => JSON.stringify([owner_id, chat_id, id])))
  return new Set(names.filter(name => found.has(JSON.stringify(keyOf(name)))))
}

/**
 * Part of adding a submission: asks for the end of the run that has the chat. Not for the end of its own run, which another
 * node may have started for an equal submission.
 */
function interruptFor({ build }: StoreDatabase, { id, ...chat }: WaitingSubmission, at: string): Statement {
  const request = build
    .updateTable('runs')
    .set({ stop_requested_at: at, stop_requested_by: 'message' })
    .where(ofChat(chat))
    .where('status', '=', running)
    .where('stop_requested_at', 'is', null)
    .where('user_message_id', '!=', id)
    .where('answer_id', '!=', id)
  return statement(request)
}

/** Gives a submission another body. Has no effect when it does not wait with the body that is named. */
function rewriteRow(
  { build }: StoreDatabase,
  { id, body: before, ...chat }: ChatKey & SubmissionVersion,
  body: string,
): Statement {
  const rewrite = build
    .updateTable('waiting_submissions')
    .set({ body })
    .where(ofChat(chat))
    .where('id', '=', id)
    .where('body', '=', before)
  return statement(rewrite, { mustChange: true })
}

/** Inserts a submission behind the last one. Has no effect when the queue is full. */
function insertLast({ build }: StoreDatabase, waiting: WaitingSubmission, max: number) {
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

const nameRow = z.object({ owner_id: z.string(), chat_id: z.string(), id: z.string() })

function waitingFrom(row: Schema['waiting_submissions']): WaitingSubmission {
  const { owner_id: ownerId, chat_id: chatId, id, body, created_at: createdAt } = row
  if (isOwnerId(ownerId) && isChatId(chatId)) return { ownerId, chatId, id, body, createdAt }
  throw new SqlError('damaged', `The row of the waiting submission "${id}" is damaged.`)
}

/**
 * Part of claiming a run: takes its submission out of the queue. Has no effect unless the submission is the first. The body
 * counts too: somebody may have edited the message since it was read. Or under the same id, another submission may have
 * come after this one was removed.
 */
export function takeFromQueue({ build }: StoreDatabase, chat: ChatKey, { id, body }: SubmissionVersion) {
  return build
    .deleteFrom('waiting_submissions')
    .where(ofChat(chat))
    .where('id', '=', id)
    .where('body', '=', body)
    .where(({ eb, selectFrom }) =>
      eb(
        'idx',
        '=',
        selectFrom('waiting_submissions as queue')
          .select(({ fn }) => fn.min('queue.idx').as('first'))
          .where('queue.owner_id', '=', chat.ownerId)
          .where('queue.chat_id', '=', chat.chatId),
      ),
    )
}

/** Part of claiming a run whose submission does not wait. Selects no row when others wait in the chat. */
export function selectEmptyQueue({ build }: StoreDatabase, chat: ChatKey) {
  return build
    .selectNoFrom(({ lit }) => lit(1).as('free'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('waiting_submissions').select('id').where(ofChat(chat)))),
    )
}
