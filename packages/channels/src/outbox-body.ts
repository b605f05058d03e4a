import { z } from 'zod'
import type { Medium, Message } from './channel.ts'
import type { ReplyPayload } from './payloads.ts'

const payloadForm = z.object({
  text: z.string().optional(),
  before: z.string().optional(),
  reopening: z.string().optional(),
  closing: z.string().optional(),
  media: z.array(z.string()).optional(),
  replyTo: z.string().optional(),
  isStatus: z.boolean().optional(),
  messageIndex: z.number().optional(),
})

/** A payload as the outbox keeps it. */
export function bodyOf(payload: ReplyPayload): string {
  return JSON.stringify(payloadForm.parse(payload))
}

export function payloadFrom(body: string): ReplyPayload {
  const value: unknown = JSON.parse(body)
  if (isPayload(value)) return value
  throw new TypeError('An item of the outbox is damaged. Restore the database from a backup.')
}

function isPayload(value: unknown): value is ReplyPayload {
  return payloadForm.safeParse(value).success
}

/** The bytes of a medium by its address; nothing when it is gone, or not ours to fetch. */
export type ReadMedium = (address: string) => Promise<Medium | undefined>

/** What a channel shows for a payload. A medium that cannot be read is shown as its address. */
export async function messageFrom(payload: ReplyPayload, readMedium: ReadMedium): Promise<Message> {
  const { text = '', replyTo, media = [] } = payload
  const [address] = media
  if (address === undefined) return { text, replyTo }
  const medium = await readMedium(address)
  if (medium !== undefined) return { text, replyTo, medium }
  return { text: [text, address].filter(each => each !== '').join('\n'), replyTo }
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
}

export type FileReader = (
  fileId: string,
) => Promise<{ readonly mediaType: string; readonly bytes: Uint8Array } | undefined>

/** Reads the chat's own files, and what stands in an address itself. Nothing else: a page could name any address. */
export function mediaReader(readFile: FileReader): ReadMedium {
  return async address => {
    const [, fileId] = /^\/api\/chats\/[^/]+\/files\/([^/]+)$/.exec(address) ?? []
    const file = fileId === undefined ? fromDataUrl(address) : await readFile(fileId)
    return file && { ...file, fileName: `${fileId ?? 'file'}.${extensions[file.mediaType] ?? 'bin'}` }
  }
}

function fromDataUrl(address: string) {
  const [, mediaType, base64] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(address) ?? []
  if (mediaType === undefined || base64 === undefined) return undefined
  return { mediaType, bytes: Buffer.from(base64, 'base64') }
}
