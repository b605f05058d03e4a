import {
  type ChatKey,
  isChatId,
  isMessageId,
  isOwnerId,
  isRunId,
  type MessageId,
  type OwnerId,
  type RunId,
} from '@throughline/protocol/ids'
import type { EndStatus } from '@throughline/protocol/metadata'
import { voidApprovals } from './approvals.ts'
import { changeMessages, type MessageChanges } from './change-messages.ts'
import { type ChatRecord, insertChat } from './chats.ts'
import { insertMessage, type MessageToSave, saveMessage } from './messages.ts'
import { chatColumns, type Database, ofChat, readRows, runRow, type Schema, statement } from './schema.ts'
import { SqlError, succeeds } from './sql.ts'

export interface Run extends ChatKey {
  readonly id: RunId
  readonly agent: string
  readonly userMessageId: MessageId
  readonly answerId: MessageId
  /** All entries of the run come after this one in the chat's log. */
  readonly afterSeq: number
  readonly startedAt: string
  readonly status: 'running' | EndStatus
  /**
   * The answer to a new message; another one to a message that has been answered before; or a message that
   * follows an answer without having been asked for. Or no answer at all: a new `message` to a person, or a `change`
   * of messages that are there. They are runs because only one run at a time may write to a chat.
   */
  readonly kind: 'answer' | 'another-answer' | 'follow-up' | 'message' | 'change'
}

/** Whether a run brings an answer: only then its entries end with one. */
export function hasAnswer({ kind }: Pick<Run, 'kind'>): boolean {
  return kind !== 'message' && kind !== 'change'
}

export interface RunEnd {
  readonly status: EndStatus
  readonly at: string
  /** The log's last entry of the run: the rows contain everything up to it. */
  readonly seq: number
  readonly messages: readonly MessageToSave[]
  /** What becomes of messages that were there before. */
  readonly changes?: MessageChanges | undefined
}

export interface Runs {
  /**
   * Claims the chat for a run and saves its user message, if that is new; false when a run is active, or the
   * message is there already, or the answer's id is promised to another run. For a new message it makes the chat if
   * need be; for one that is not new, false when it or its chat is gone. Gives its title to a chat that has none.
   */
  claim(
    run: Run,
    start: { readonly chat: ChatRecord; readonly userMessage: MessageToSave | undefined },
  ): Promise<boolean>
  /** Saves a message of a run that goes on, e.g. a sub-agent's at its own end. */
  save(run: Run, message: MessageToSave): Promise<void>
  /** The last rows and the end, in one transaction, with what still waits for approval; false when somebody else has ended the run. */
  end(run: Run, end: RunEnd): Promise<boolean>
  active(chat: ChatKey): Promise<Run | undefined>
  get(ownerId: OwnerId, id: RunId): Promise<Run | undefined>
  /** The first run that answers a user message. */
  ofUserMessage(chat: ChatKey, id: MessageId): Promise<Run | undefined>
  /** The newest run that answers a user message. */
  lastOfUserMessage(chat: ChatKey, id: MessageId): Promise<Run | undefined>
  /** The run that a message id was promised to for its answer. */
  ofAnswer(chat: ChatKey, id: MessageId): Promise<Run | undefined>
  /** Every run of every owner that has not ended, for recovery. */
  unfinished(): Promise<readonly Run[]>
}

export function createRuns(database: Database): Runs {
  const { build, sql } = database
  const select = () => build.selectFrom('runs').selectAll()
  const inChat = (chat: ChatKey) => select().where(ofChat(chat))
  const update = (run: Run) =>
    build
      .updateTable('runs')
      .where('owner_id', '=', run.ownerId)
      .where('id', '=', run.id)
      .where('status', '=', 'running')

  return {
    async claim(run, { chat, userMessage }) {
      const insertRun = build.insertInto('runs').values({ ...rowOf(run), ended_at: null })
      const touch = build
        .updateTable('chats')
        .set(({ eb, ref }) => ({
          updated_at: run.startedAt,
          title: eb.case().when('title', '=', '').then(chat.title).else(ref('title')).end(),
        }))
        .where('owner_id', '=', run.ownerId)
        .where('id', '=', run.chatId)
      // What is answered once more may have been deleted meanwhile.
      const answered = build
        .selectFrom('messages')
        .select('id')
        .where(ofChat(run))
        .where('id', '=', run.userMessageId)
      const isThere = run.kind === 'change' ? [] : [statement(answered, { mustChange: true })]
      return succeeds(['constraint', 'no-effect'], () =>
        userMessage === undefined
          ? sql.write([statement(touch), statement(insertRun), ...isThere])
          : sql.write([
              statement(insertChat(database, run.ownerId, chat)),
              statement(touch),
              statement(insertRun),
              ...insertMessage(database, run, userMessage),
            ]),
      )
    },

    async save(run, message) {
      const isRunning = statement(update(run).set({ status: 'running' }), { mustChange: true })
      await sql.write([isRunning, ...saveMessage(database, run, message)])
    },

    async end(run, { status, at, seq, messages, changes }) {
      const close = statement(update(run).set({ status, ended_at: at }), { mustChange: true })
      const saved = build
        .updateTable('chats')
        .set({ saved_seq: seq, updated_at: at })
        .where('owner_id', '=', run.ownerId)
        .where('id', '=', run.chatId)
      return succeeds('no-effect', () =>
        sql.write([
          close,
          statement(voidApprovals(database, run, at)),
          ...messages.flatMap(message => saveMessage(database, run, message)),
          ...(changes === undefined ? [] : changeMessages(database, run, changes)),
          statement(saved),
        ]),
      )
    },

    async active(chat) {
      const [row] = await readRows(database, inChat(chat).where('status', '=', 'running'), runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async get(ownerId, id) {
      const [row] = await readRows(
        database,
        select().where('owner_id', '=', ownerId).where('id', '=', id),
        runRow,
      )
      return row === undefined ? undefined : runFrom(row)
    },

    async ofUserMessage(chat, id) {
      const first = inChat(chat).where('user_message_id', '=', id).orderBy('after_seq').limit(1)
      const [row] = await readRows(database, first, runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async lastOfUserMessage(chat, id) {
      const last = inChat(chat)
        .where('user_message_id', '=', id)
        .where('kind', '!=', 'follow-up')
        .orderBy('after_seq', 'desc')
        .limit(1)
      const [row] = await readRows(database, last, runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async ofAnswer(chat, id) {
      const [row] = await readRows(database, inChat(chat).where('answer_id', '=', id), runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async unfinished() {
      return (await readRows(database, select().where('status', '=', 'running'), runRow)).map(runFrom)
    },
  }
}

function rowOf(run: Run): Omit<Schema['runs'], 'ended_at'> {
  return {
    ...chatColumns(run),
    id: run.id,
    agent: run.agent,
    user_message_id: run.userMessageId,
    answer_id: run.answerId,
    status: run.status,
    after_seq: run.afterSeq,
    started_at: run.startedAt,
    kind: run.kind,
  }
}

function runFrom(row: Schema['runs']): Run {
  const { id, owner_id, chat_id, user_message_id, answer_id } = row
  if (
    !isRunId(id) ||
    !isOwnerId(owner_id) ||
    !isChatId(chat_id) ||
    !isMessageId(user_message_id) ||
    !isMessageId(answer_id)
  ) {
    throw new SqlError('failed', `The row of run "${id}" is damaged.`)
  }
  return {
    id,
    ownerId: owner_id,
    chatId: chat_id,
    agent: row.agent,
    userMessageId: user_message_id,
    answerId: answer_id,
    afterSeq: row.after_seq,
    startedAt: row.started_at,
    status: row.status,
    kind: row.kind,
  }
}
