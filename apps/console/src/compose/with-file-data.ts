import { type FilePart, isFilePart, type Message } from '@throughline/protocol'
import { addressOf } from '../base-path.ts'
import { serverFetch } from '../server-fetch.ts'
import { accessHeaders } from '../settings/access.ts'
import { dataUrlOf } from './data-url.ts'

/** Returns a message with the data of its files in place of their addresses, so that it can be sent anew. */
export async function withFileData(message: Message): Promise<Message> {
  const parts = await Promise.all(
    message.parts.map(part => (isFilePart(part) && part.url.startsWith('/') ? withData(part) : part)),
  )
  return { ...message, parts }
}

/** Throws when the server does not have the file any more, or is away. */
async function withData(part: FilePart): Promise<FilePart> {
  const response = await serverFetch(addressOf(part.url), { headers: accessHeaders() })
  if (!response.ok) throw new Error(`The file ${part.url} cannot be read: status ${response.status}.`)
  const data = new Blob([await response.arrayBuffer()], { type: part.mediaType })
  return { ...part, url: await dataUrlOf(data) }
}
