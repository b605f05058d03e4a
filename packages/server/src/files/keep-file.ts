import { type RunScope, sniffPicture } from '@throughline/agents/internal'
import type { ChatId, ChatKey } from '@throughline/protocol'
import type { Store } from '@throughline/store'

/** What saving files of a run needs. */
export interface FileKeeperOptions {
  readonly store: Pick<Store, 'files'>
  readonly chat: ChatKey
  readonly now: () => Date
  /** The signal of the run. A run that was stopped saves no more files. */
  readonly signal: AbortSignal
}

/** The largest file that a tool may have kept, in bytes. */
const maxKeptBytes = 10 * 1024 * 1024
const maxFilesPerRun = 100

/**
 * Saves the files of one run, within the limits of a run. The errors are written for the model that called the tool.
 */
export function fileKeeper({ store, chat, now, signal }: FileKeeperOptions): RunScope['keepFile'] {
  let kept = 0
  return async ({ bytes }) => {
    signal.throwIfAborted()
    // The type is read from the bytes. What the tool says about them is not used.
    const mediaType = sniffPicture(bytes)?.mediaType
    if (mediaType === undefined)
      throw new FileRefused('type', 'Only PNG, JPEG, WebP and GIF pictures are kept, and this is none.')
    if (bytes.byteLength > maxKeptBytes) {
      throw new FileRefused(
        'size',
        `The file is larger than ${maxKeptBytes / 1024 / 1024} MB, so it is not kept.`,
      )
    }
    if (kept >= maxFilesPerRun) {
      throw new FileRefused(
        'count',
        `This answer has kept ${maxFilesPerRun} files, which is all it may keep.`,
      )
    }
    // Counts before the write, so that writes at the same time cannot exceed the limit together.
    kept += 1
    const id = await store.files.keep(chat, { mediaType, bytes, at: now().toISOString() })
    return filesAddress(chat.chatId) + id
  }
}

/** Returns what the addresses of a chat's files begin with. */
export function filesAddress(chatId: ChatId): string {
  return `/api/chats/${encodeURIComponent(chatId)}/files/`
}

/** Thrown for a file that a run may not save. */
class FileRefused extends Error {
  override readonly name = 'FileRefused'
  readonly code: 'type' | 'size' | 'count'

  constructor(code: FileRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}
