import { createHash } from 'node:crypto'
import type { ChatKey } from '@throughline/protocol'

/**
 * Where the contents of chats' files are. It knows nothing of the table `files`: `Files` decides which file exists and
 * who may read it, and passes only ids that this program made.
 */
export interface FileBytes {
  /** Where the bytes are, in words for the operator. Has no secrets. */
  readonly location: string
  /**
   * Writes a file whole or not at all. Resolves once it is durable. Idempotent: whoever writes an id again brings the same
   * bytes. The chat does not need to exist.
   */
  write(chat: ChatKey, file: IdentifiedBytes): Promise<void>
  /** Returns `undefined` when there is no such file. Never returns a part of a file. */
  read(chat: ChatKey, id: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Removes a file. Idempotent. */
  remove(chat: ChatKey, id: string): Promise<void>
  /** Removes all files of a chat. Idempotent: after a failure or a crash, the next call goes on. */
  removeAll(chat: ChatKey): Promise<void>
}

/** The contents of a file, and the id that it has in its chat. */
export interface IdentifiedBytes {
  readonly id: string
  readonly bytes: Uint8Array
}

/** Thrown when the place where files are cannot be used. The message is for the operator. */
export class FileBytesError extends Error {
  override readonly name = 'FileBytesError'
  /**
   * - `unreachable`: it does not respond, or not soon enough. Later it may work again.
   * - `refused`: it refuses the request. Only a change of its settings, or of ours, helps.
   */
  readonly code: 'unreachable' | 'refused'

  constructor(code: FileBytesError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Returns the name of a folder for an id, also for the folders of a bucket. Some file systems refuse some ids, or take
 * `A` and `a` for the same name. Such an id becomes a hash. The hash begins with `~`, which no id contains.
 */
export function folderNameOf(id: string): string {
  if (/^[a-z0-9_-]+$/.test(id) && !reserved.test(id)) return id
  return `~${createHash('sha256').update(id).digest('hex')}`
}
