import type { Chunk } from '@throughline/protocol/chunk'
import type { ChatKey } from '@throughline/protocol/ids'
import { picturesIn } from '@throughline/protocol/pictures-in'
import type { Files } from '@throughline/store/files'
import { filesAddress, shownMediaTypes } from '../../runs/keep-file.ts'

/**
 * The first picture that a tool's output names by its address, in base64. Only a file of the run's own chat is read: what
 * a tool says may have been written by a stranger.
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
  // The answer does not depend on its pictures: what cannot be read is left out, like what is gone.
  const file = await files.read(chat, address.slice(folder.length)).catch(() => undefined)
  if (file === undefined || !shownMediaTypes.has(file.mediaType)) return null
  return Buffer.from(file.bytes).toString('base64')
}
