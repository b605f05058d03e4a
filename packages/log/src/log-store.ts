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

/**
 * A port: where the entries of logs are stored. The bytes at a position never change. When a store may have lost entries that
 * were shown (it was restored, copied, or taken over by a standby), its logs get other epochs before anything is
 * appended. The numbers of their entries stay, and a lease stays valid if its log still ends where its holder knows it to.
 */
export interface LogStore {
  /** Takes over the log, and creates it if it does not exist. From now on, appends under earlier leases are refused. */
  acquire(log: LogName): Promise<Lease>

  /**
   * Numbers the drafts and commits them, all or none. `after` is the number of the last entry that the caller knows;
   * the first draft gets the next number. Resolves when the entries are durable, as every reader will get them. Throws a
   * `LogError`: `fenced` when the lease is no longer the newest one, `wrong-end` when the log does not end at `after`,
   * `invalid-chunk` when a chunk could not be read back.
   */
  append(lease: Lease, after: number, drafts: readonly EntryDraft[]): Promise<readonly Entry[]>

  /**
   * Says that the holder of a lease appends nothing more soon, because its run has ended. This is a hint, so that the
   * store can tidy up. It changes nothing that anybody can see.
   */
  release(lease: Lease): void

  /**
   * Returns the committed entries after a position, in order. Returns at most `limit` of them, and fewer when they are
   * large; but only at the end of the log it returns none. Throws a `LogError` (`unknown-position`) when the log does
   * not have the position.
   */
  read(log: LogName, after: Position, limit: number): Promise<readonly Entry[]>

  /** Returns the end of the log. Creates an empty log if there is none. Does not change who has the lease. */
  open(log: LogName): Promise<Position>

  /**
   * Calls `ring` after every append, and after the log was trimmed or removed, without data. A call may come early or
   * twice. A store that cannot see every append of other processes calls `ring` by itself, at least every 5 seconds.
   * Returns a function that ends this.
   */
  onAppend(log: LogName, ring: () => void): () => void

  /**
   * Forgets the entries up to the number `upTo`, which is included. The numbers of later entries do not change. From now
   * on, positions before `upTo` are unknown. Does nothing when there is no such log.
   */
  trim(log: LogName, upTo: number): Promise<void>

  /** Deletes the log. A later log with this name gets another epoch. */
  remove(log: LogName): Promise<void>
}

/** Thrown by a `LogStore`. */
export class LogError extends Error {
  override readonly name = 'LogError'
  /**
   * `fenced`: another lease was acquired; stop writing. `wrong-end`: nothing was written, because the log does not end
   * where the writer expected it. `unknown-position`: the log does not have this position; load the chat again.
   * `invalid-chunk`: nothing was written, because a chunk is not valid.
   */
  readonly code: 'fenced' | 'wrong-end' | 'unknown-position' | 'invalid-chunk'
  /** The log that the error is about. */
  readonly log: LogName

  constructor(code: LogError['code'], log: LogName, message: string) {
    super(message)
    this.code = code
    this.log = log
  }
}

/** Which entries a log has. */
export interface LogExtent extends Position {
  /** The entries up to this number were trimmed; 0 for none. */
  readonly trimmed: number
}

/** Throws a `LogError` (`unknown-position`) unless the log has every entry after the position. */
export function assertKnown(log: LogName, { epoch, seq }: Position, extent: LogExtent | undefined): void {
  const isKnown =
    extent?.epoch === epoch && Number.isSafeInteger(seq) && seq >= extent.trimmed && seq <= extent.seq
  if (!isKnown) throw unknownPositionError(log, { epoch, seq })
}

/** Throws a `LogError` (`fenced` or `wrong-end`) unless the lease may append after the entry with the number `after`. */
export function assertWritable(
  lease: Lease,
  after: number,
  head: (Position & Pick<Lease, 'fence'>) | undefined,
): void {
  if (head?.epoch !== lease.head.epoch || head.fence !== lease.fence) throw fencedError(lease)
  if (head.seq === after) return
  throw new LogError(
    'wrong-end',
    lease.log,
    `Log ${lease.log} ends with entry ${head.seq}, not with ${after}. Nothing was written; read the log again.`,
  )
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

function fencedError({ log, fence }: Lease): LogError {
  return new LogError(
    'fenced',
    log,
    `Log ${log}: lease ${fence} was taken over. Stop writing; its new holder goes on.`,
  )
}
