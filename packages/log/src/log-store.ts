import type { ChatId, ChatKey, Entry, EntryDraft, OwnerId, Position } from '@throughline/protocol'

/**
 * Names the log of a chat: there is one log per chat. Ids contain no slash, so no two chats have the same name.
 * Also the key for a chat in a Map, where equal `ChatKey` objects would be different keys.
 */
export type LogName = `${OwnerId}/${ChatId}`

/** Returns the name of a chat's log. */
export function logName({ ownerId, chatId }: ChatKey): LogName {
  return `${ownerId}/${chatId}`
}

/** The right to append to a log. It ends when somebody else acquires the log. */
export interface Lease {
  /** The log that may be written. */
  readonly log: LogName
  /** The fence number: each new lease of a log has a higher one. Appends with an older number are refused. */
  readonly fence: number
  /** The end of the log at the time the lease was acquired. */
  readonly head: Position
}

/** A port: where the entries of logs are stored. */
export interface LogStore {
  /** Takes over the log, and creates it if it does not exist. From now on, appends under earlier leases are refused. */
  acquire(log: LogName): Promise<Lease>

  /**
   * Numbers the drafts and commits them, all or none. Resolves when they are durable, with the entries as every reader
   * will get them. Throws a `LogError`: `fenced` when the lease is no longer the newest one, `invalid-chunk` when a
   * chunk could not be read back.
   */
  append(lease: Lease, drafts: readonly EntryDraft[]): Promise<readonly Entry[]>

  /**
   * Returns the committed entries after a position, in order, at most `limit` of them. Throws a `LogError`
   * (`unknown-position`) when the log does not have the position.
   */
  read(log: LogName, after: Position, limit: number): Promise<readonly Entry[]>

  /** Returns the end of the log. Creates an empty log if there is none. Does not change who has the lease. */
  open(log: LogName): Promise<Position>

  /**
   * Calls `ring` after appends, without data. A call may come early, twice or not at all, so the reader must also look
   * by itself now and then. Returns a function that ends this.
   */
  onAppend(log: LogName, ring: () => void): () => void

  /** Deletes the log. A later log with this name gets another epoch. */
  remove(log: LogName): Promise<void>
}

/** Thrown by a `LogStore`. */
export class LogError extends Error {
  override readonly name = 'LogError'
  /**
   * `fenced`: another lease was acquired; stop writing. `unknown-position`: the log does not have this position; load
   * the chat again. `invalid-chunk`: nothing was written, because a chunk is not valid.
   */
  readonly code: 'fenced' | 'unknown-position' | 'invalid-chunk'
  /** The log that the error is about. */
  readonly log: LogName

  constructor(code: LogError['code'], log: LogName, message: string) {
    super(message)
    this.code = code
    this.log = log
  }
}

/** Returns the error of an append under an old lease. */
export function fencedError({ log, fence }: Lease): LogError {
  return new LogError(
    'fenced',
    log,
    `Log ${log}: lease ${fence} was taken over. Stop writing; its new holder goes on.`,
  )
}

/** Throws a `LogError` (`unknown-position`) unless the position is one of a log that ends at `head`. */
export function assertKnown(log: LogName, { epoch, seq }: Position, head: Position | undefined): void {
  const isKnown = head?.epoch === epoch && Number.isSafeInteger(seq) && seq >= 0 && seq <= head.seq
  if (!isKnown) throw unknownPositionError(log, { epoch, seq })
}

/** Returns the error of an append with a chunk that is not valid. */
export function invalidChunkError(log: LogName, problem: string): LogError {
  return new LogError(
    'invalid-chunk',
    log,
    `Log ${log}: ${problem}. Nothing was written; ensure that only valid chunks are appended.`,
  )
}

function unknownPositionError(log: LogName, { epoch, seq }: Position): LogError {
  return new LogError(
    'unknown-position',
    log,
    `Log ${log}: there is no position ${epoch}.${seq}. Load the messages, then follow from the position they come with.`,
  )
}
