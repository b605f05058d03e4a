import { type ChatKey, type Chunk, picturesIn } from '@throughline/protocol'
import type { Files } from '@throughline/store'
import { pictureTypes } from '../../runs/file-types.ts'
import { filesAddress } from '../../runs/keep-file.ts'

/**
 * Returns the first picture whose address is in a tool's output, in base64; `null` when there is none. Only files of the
 * run's own chat are read, because the output may have been written by a stranger.
 */
export async function readScreenshot(
  files: Pick<Files, 'read'>,
  chat: ChatKey,
  chunk: Chunk,
): Promise<string | null> {
  if (chunk.type !== 'tool-output-available') return null
  const folder = filesAddress(chat.chatId)
  const address = picturesIn(chunk.output).find(each => each.startsWith(folder))
  if (address === undefined) return null
  // A picture that cannot be read must not break the stream. It is left out, like one that was deleted.
  const file = await files.read(chat, address.slice(folder.length)).catch(() => undefined)
  if (file === undefined || !pictureTypes.has(file.mediaType)) return null
  return Buffer.from(file.bytes).toString('base64')
}
