import type { Medium, OutgoingMessage } from '../ports/channel.ts'
import type { Post } from './post.ts'

/** Returns a file by its address, or `undefined` if it is gone or may not be fetched. */
export type ReadMedium = (address: string) => Promise<Medium | undefined>

/** Reads one of the chat's own files. */
export type FileReader = (fileId: string) => Promise<File | undefined>

interface File {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Returns the message for a post with a file. If the file cannot be read, the text says so. */
export async function messageOfPost(post: Post, readMedium: ReadMedium): Promise<OutgoingMessage> {
  const { text = '', replyTo, media = [] } = post
  const [address] = media
  if (address === undefined) return { text, replyTo }
  const medium = await readMedium(address)
  if (medium !== undefined) return { text, replyTo, medium }
  return { text: [text, inWords(address)].filter(each => each !== '').join('\n'), replyTo }
}

/** Reads the chat's own files and `data:` URLs. Nothing else, because an agent could name any address. */
export function mediaReader(readFile: FileReader): ReadMedium {
  return async address => {
    const [, fileId] = /^\/api\/chats\/[^/]+\/files\/([^/]+)$/.exec(address) ?? []
    const file = fileId === undefined ? fromDataUrl(address) : await readFile(fileId)
    return file && { ...file, fileName: `${fileId ?? 'file'}.${extensions[file.mediaType] ?? 'bin'}` }
  }
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
}

/** Returns an address that people can open themselves. `data:` URLs and our own addresses are of no use to them. */
function inWords(address: string): string {
  const isOpenable = /^https?:\/\/\S+$/i.test(address) && address.length <= 2_000
  return isOpenable ? address : '(a file that cannot be shown)'
}

function fromDataUrl(address: string): File | undefined {
  const [, type = '', base64, data] = /^data:([^,]*?)(;base64)?,(.*)$/is.exec(address) ?? []
  if (data === undefined) return undefined
  const [mediaType = ''] = type.toLowerCase().split(';')
  const bytes = Buffer.from(decoded(data), base64 === undefined ? 'utf8' : 'base64')
  return { mediaType: mediaType.trim() || 'text/plain', bytes }
}

function decoded(data: string): string {
  try {
    return data.includes('%') ? decodeURIComponent(data) : data
  } catch {
    // It is not percent-encoded.
    return data
  }
}
