import { type ChatKey, randomHex } from '@throughline/protocol'
import { type BucketOptions, bucketClient, type SendToBucket } from './bucket-client.ts'
import { type FileBytes, FileBytesError, folderNameOf } from './file-bytes.ts'

/** How many objects of a chat are deleted at the same time. */
const deletesAtOnce = 8

/** Returns the files of chats in an S3-compatible bucket. Its keys are `prefix/owner/chat/file`. */
export function bucketBytes(options: BucketOptions): FileBytes {
  const { bucket, prefix, url } = options
  const send = bucketClient(options)
  const start = prefix === '' ? '' : `${prefix}/`
  // The slash at the end matters: `owner/chat` is also the beginning of `owner/chat-2`.
  const folderOf = ({ ownerId, chatId }: ChatKey) =>
    `${start}${folderNameOf(ownerId)}/${folderNameOf(chatId)}/`
  return {
    location: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`} at ${new URL(url).host}`,

    async write(chat, { id, bytes }) {
      await send({ method: 'PUT', key: folderOf(chat) + id, body: new Uint8Array(bytes) })
    },

    read: (chat, id) => send({ method: 'GET', key: folderOf(chat) + id }),

    async remove(chat, id) {
      await send({ method: 'DELETE', key: folderOf(chat) + id })
    },

    removeAll: chat => removeFolder(send, folderOf(chat)),
  }
}

/**
 * Writes, reads, lists and deletes an object, to find out at the start whether the bucket can be used. Throws a
 * `FileBytesError`.
 */
export async function probeBucket(options: BucketOptions): Promise<void> {
  const send = bucketClient(options)
  // No owner has a folder of this name: see `folderNameOf`. Several servers may start at once, so each has a folder of its own.
  const folder = `${options.prefix === '' ? '' : `${options.prefix}/`}.probe/${randomHex(8)}/`
  const key = `${folder}file`
  await send({ method: 'PUT', key, body: new TextEncoder().encode('probe') })
  const read = await send({ method: 'GET', key })
  if (read === undefined)
    throw new FileBytesError('refused', `The bucket ${options.bucket} does not keep what is written to it.`)
  await removeFolder(send, folder)
}

/** Deletes page after page, so a folder may have any number of objects. */
async function removeFolder(send: SendToBucket, folder: string): Promise<void> {
  for (let isLast = false; !isLast; ) {
    const page = await send({ method: 'GET', key: '', query: { 'list-type': '2', prefix: folder } })
    const xml = Buffer.from(page ?? []).toString()
    const keys = keysIn(xml).filter(key => key.startsWith(folder))
    for (let index = 0; index < keys.length; index += deletesAtOnce)
      await Promise.all(keys.slice(index, index + deletesAtOnce).map(key => send({ method: 'DELETE', key })))
    // The keys of this page are gone, so the next page is the first one again.
    isLast = keys.length === 0 || !/<IsTruncated>true<\/IsTruncated>/.test(xml)
  }
}

/** Returns the keys in a list. Our keys have no characters that XML would escape. */
function keysIn(xml: string): readonly string[] {
  return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
}
