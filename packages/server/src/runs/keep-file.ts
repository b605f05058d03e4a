import type { RunScope } from '@throughline/agents/run/run-scope'
import { sniffPicture } from '@throughline/agents/values/pictures/sniff-picture'
import type { ChatId, ChatKey } from '@throughline/protocol/ids'
import type { Store } from '@throughline/store/open-store'

export interface FileKeeperOptions {
  readonly store: Pick<Store, 'files'>
  readonly chat: ChatKey
  readonly now: () => Date
  /** Of the run: what was stopped keeps nothing more. */
  readonly signal: AbortSignal
}

/** What is kept is what is shown: pictures that run nothing, whoever made them. */
export const shownMediaTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
])

const maxFileBytes = 10 * 1024 * 1024
const maxFilesPerRun = 100

/** Keeps the files of one run, within its limits. The errors are written for the model whose tool it is. */
export function fileKeeper({ store, chat, now, signal }: FileKeeperOptions): RunScope['keepFile'] {
  let kept = 0
  return async ({ bytes }) => {
    signal.throwIfAborted()
    // What the bytes are, and not what they are said to be.
    const mediaType = sniffPicture(bytes)?.mediaType
    if (mediaType === undefined)
      throw new FileRefused('type', 'Only PNG, JPEG, WebP and GIF pictures are kept, and this is none.')
    if (bytes.byteLength > maxFileBytes) {
      throw new FileRefused(
        'size',
        `The file is larger than ${maxFileBytes / 1024 / 1024} MB, so it is not kept.`,
      )
    }
    if (kept >= maxFilesPerRun) {
      throw new FileRefused(
        'count',
        `This answer has kept ${maxFilesPerRun} files, which is all it may keep.`,
      )
    }
    // Counted before the write, so that writes at the same time cannot pass the limit together.
    kept += 1
    const id = await store.files.keep(chat, { mediaType, bytes, at: now().toISOString() })
    return filesAddress(chat.chatId) + id
  }
}

/** What the addresses of a chat's files begin with. */
export function filesAddress(chatId: ChatId): string {
  return `/api/chats/${encodeURIComponent(chatId)}/files/`
}

/** A file that a run may not keep. */
class FileRefused extends Error {
  override readonly name = 'FileRefused'
  readonly code: 'type' | 'size' | 'count'

  constructor(code: FileRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}
