import { type Chunk, isRecord } from '@throughline/protocol/chunk'
import type { Files } from '@throughline/store/files'
import type { Run } from '@throughline/store/runs'
import { filesAddress, shownMediaTypes } from '../runs/keep-file.ts'

/**
 * The picture that a tool's output names by its address, in base64. Only a file of the run's own chat is read: what a
 * tool says may have been written by a stranger.
 */
export async function readScreenshot(
  files: Pick<Files, 'read'>,
  { ownerId, chatId }: Pick<Run, 'ownerId' | 'chatId'>,
  chunk: Chunk,
): Promise<string | null> {
  const address = addressIn(chunk)
  const folder = filesAddress(chatId)
  if (address === undefined || !address.startsWith(folder)) return null
  // The answer does not depend on its pictures: what cannot be read is left out, like what is gone.
  const file = await files.read(ownerId, chatId, address.slice(folder.length)).catch(() => undefined)
  if (file === undefined || !shownMediaTypes.has(file.mediaType)) return null
  return Buffer.from(file.bytes).toString('base64')
}

function addressIn(chunk: Chunk): string | undefined {
  if (chunk.type !== 'tool-output-available' || !isRecord(chunk.output)) return undefined
  const { screenshot } = chunk.output
  return typeof screenshot === 'string' ? screenshot : undefined
}
