import type { Entry, EntryDraft } from '@throughline/protocol/entry'
import type { ChatId, ChatKey, OwnerId } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'

/**
 * Names the log of a chat: there is one log per chat. Ids contain no slash, so no two chats have the same name.
 * Also the key for a chat in a Map, where equal `ChatKey` objects would be different keys.
 */
export type LogName = `${OwnerId}/${ChatId}`

/** Returns the name of a chat's log. */
export function logName({ ownerId, chatId }: ChatKey): LogName {
  return `${ownerId}/${chatId}`
}

/** The right to append to a log, until somebody else takes it over. */
export interface Lease {
  readonly log: LogName
  readonly fence: number
  /** Where the log ended when the lease was taken. */
  readonly head: Position
}

/** Where entries live. Rules stand above this port, storage below it. */
export interface LogStore {
  /** Takes the log over, making it if need be: appends under every earlier lease are refused from now on. */
  acquire(log: LogName): Promise<Lease>

  /**
   * Numbers and commits the drafts, all or none; resolves once they are durable, with the entries as every
   * reader gets them. Throws `fenced`, and `invalid-chunk` for what could not be read again.
   */
  append(lease: Lease, drafts: readonly EntryDraft[]): Promise<readonly Entry[]>

  /** Committed entries after a position, in order, at most `limit`. Throws `unknown-position`. */
  read(log: LogName, after: Position, limit: number): Promise<readonly Entry[]>

  /** Where the log ends now; makes an empty log if there is none, and leaves leases alone. */
  open(log: LogName): Promise<Position>

  /** Rings after appends. The bell carries no data: a ring may come early, twice or never. */
  onAppend(log: LogName, ring: () => void): () => void

  /** Forgets the log. A later log of this name has another epoch. */
  remove(log: LogName): Promise<void>
}

export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code: 'fenced' | 'unknown-position' | 'invalid-chunk'
  readonly log: LogName

  constructor(code: LogError['code'], log: LogName, message: string) {
    super(message)
    this.code = code
    this.log = log
  }
}

export function fencedError({ log, fence }: Lease): LogError {
  return new LogError(
    'fenced',
    log,
    `Log ${log}: lease ${fence} was taken over. Stop writing; its new holder goes on.`,
  )
}

/** Throws unless the position is one that a log with this head has given out. */
export function assertKnown(log: LogName, { epoch, seq }: Position, head: Position | undefined): void {
  const isKnown = head?.epoch === epoch && Number.isSafeInteger(seq) && seq >= 0 && seq <= head.seq
  if (!isKnown) throw unknownPositionError(log, { epoch, seq })
}

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
