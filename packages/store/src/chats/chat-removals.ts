import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import { pause } from '@throughline/protocol/internal'
import { succeeds } from '../database/confirmed-writes.ts'
import { chatKeyFrom, type StoreDatabase } from '../database/database.ts'
import { SqlError } from '../database/sql.ts'
import { deleteChat, type RemovedParts } from './delete-chat.ts'
import {
  adoptStatement,
  allMarked,
  markedStatement,
  markStatements,
  type RemovalLease,
  renewStatement,
  takeStatement,
} from './removal-statements.ts'

/** The chats that are being removed. */
export interface ChatRemovals {
  /**
   * Removes a chat with everything in it. It is gone for everyone at once; its rows are deleted in slices, with other
   * jobs in between. Resolves when all of it is deleted. Returns false when there is no such chat. `at` is the time, in
   * ISO format. Throws when something could not be deleted; then it is tried again later. If the process ends in the
   * middle, `resume` of the next one goes on, or another process that uses the same database.
   */
  remove(chat: ChatKey, at: string): Promise<boolean>
  /** Goes on with the removals that an earlier process has left unfinished. Resolves when they have begun. */
  resume(): Promise<void>
  /** Whether this process is removing the chat. Rows of it may still be there, and nobody may see them. */
  has(chat: ChatKey): boolean
  /** The same, for all processes that use the database. */
  isMarked(chat: ChatKey): Promise<boolean>
  /** Waits while this process is removing the chat. */
  waitWhileRemoving(chat: ChatKey): Promise<void>
  /** Waits while any process is removing the chat. Then its id can be used again. Returns whether it had to wait. */
  waitUntilRemoved(chat: ChatKey): Promise<boolean>
  /** Ends the removals that are under way, after the database was closed. The next process goes on with them. */
  close(): Promise<void>
}

/** What is removed besides the rows, what to do after a failure, and who else may be removing. */
export interface RemovalOptions extends RemovedParts {
  readonly report: (problem: string) => void
  /** How long to wait before something that could not be deleted is tried again, in milliseconds. Default: 10,000. */
  readonly retryMs?: number
  /** Several processes use the database. Without it, only this one does. */
  readonly lease?: RemovalLease | undefined
}

/** How often to look whether another process has removed a chat, in milliseconds. */
const lookMs = 100

/** Returns the removals of chats in a database. */
export function createChatRemovals(database: StoreDatabase, options: RemovalOptions): ChatRemovals {
  return new Removals(database, options)
}

class Removals implements ChatRemovals {
  readonly #database: StoreDatabase
  readonly #options: RemovalOptions
  /** The removals of this process. They do not reject. */
  readonly #underWay = new Map<LogName, Promise<void>>()
  readonly #closing = new AbortController()

  constructor(database: StoreDatabase, options: RemovalOptions) {
    this.#database = database
    this.#options = options
  }

  async remove(chat: ChatKey, at: string): Promise<boolean> {
    // A chat that is being removed is not there for a second caller.
    if (this.has(chat)) return false
    const marked = this.#mark(chat, at)
    const deleted = marked.then(isMarked => (isMarked ? this.#delete(chat) : undefined))
    this.#hideDuring(
      chat,
      marked.then(
        () => this.#persist(chat, deleted),
        // `remove` throws this to its caller.
        () => undefined,
      ),
    )
    await deleted
    return marked
  }

  async resume(): Promise<void> {
    await this.#takeOver()
    if (this.#options.lease !== undefined) void this.#watch(this.#options.lease.ms)
  }

  has(chat: ChatKey): boolean {
    return this.#underWay.has(logName(chat))
  }

  async isMarked(chat: ChatKey): Promise<boolean> {
    if (this.has(chat)) return true
    if (this.#options.lease === undefined) return false
    const [rows = []] = await this.#database.sql.read([markedStatement(chat)])
    return rows.length > 0
  }

  async waitWhileRemoving(chat: ChatKey): Promise<void> {
    await this.#underWay.get(logName(chat))
  }

  async waitUntilRemoved(chat: ChatKey): Promise<boolean> {
    if (!(await this.isMarked(chat))) return false
    do {
      await this.waitWhileRemoving(chat)
      if (this.#options.lease === undefined) continue
      await this.#takeOver()
      await this.#pause(lookMs)
    } while (await this.isMarked(chat))
    return true
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#underWay.values())
  }

  #mark(chat: ChatKey, at: string): Promise<boolean> {
    const { sql } = this.#database
    const { lease } = this.#options
    const mark = markStatements(this.#database, chat, at)
    if (lease === undefined) return succeeds('no-effect', () => sql.write(mark))
    return succeeds(
      'no-effect',
      () => sql.write([...mark, takeStatement(this.#database, chat, lease)]),
      // The mark is ours if this process has the lease.
      () => succeeds('no-effect', () => sql.write([renewStatement(this.#database, chat, lease)])),
    )
  }

  #delete(chat: ChatKey): Promise<void> {
    return deleteChat(this.#database, chat, this.#options)
  }

  /** Keeps the chat hidden until all of it is deleted. `removal` does not reject. */
  #hideDuring(chat: ChatKey, removal: Promise<void>): void {
    const name = logName(chat)
    this.#underWay.set(name, removal)
    void removal.then(() => this.#underWay.delete(name))
  }

  /** Tries again until everything is deleted, for example when the disk was full. */
  async #persist(chat: ChatKey, attempt: Promise<void>): Promise<void> {
    const { report, retryMs = 10_000 } = this.#options
    try {
      await attempt
    } catch (error) {
      if (this.#closing.signal.aborted || isClosed(error)) return
      report(`Chat ${chat.chatId} is removed, but not all of it is deleted yet: ${reasonOf(error)}`)
      await this.#pause(retryMs)
      if (!this.#closing.signal.aborted) await this.#persist(chat, this.#delete(chat))
    }
  }

  /** Takes the removals that no process works on. If only this process uses the database, these are all of them. */
  async #takeOver(): Promise<void> {
    const { sql } = this.#database
    const { lease } = this.#options
    const [rows = []] =
      lease === undefined
        ? await sql.read([allMarked])
        : await sql.write([adoptStatement(this.#database, lease)])
    for (const chat of rows.map(chatKeyFrom))
      if (!this.has(chat)) this.#hideDuring(chat, this.#persist(chat, this.#delete(chat)))
  }

  /** Looks for removals whose process has died, for as long as this process lives. */
  async #watch(ms: number): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#pause(ms)
      if (this.#closing.signal.aborted) return
      await this.#takeOver().catch(error => {
        if (!isClosed(error))
          this.#options.report(`Removed chats could not be looked for: ${reasonOf(error)}`)
      })
    }
  }

  /** Ends early when the removals are closed. */
  #pause(ms: number): Promise<void> {
    return pause(ms, this.#closing.signal, { ref: false })
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof SqlError && error.code === 'closed'
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
