import { createHash } from 'node:crypto'
import { type ChatKey, type FilePart, isRecord, ProblemError } from '@throughline/protocol'
import {
  defined,
  maxFileBytes,
  maxFiles,
  maxFilesBytes,
  maxTextFileBytes,
} from '@throughline/protocol/internal'
import type { MessageFile, Store } from '@throughline/store'
import { isTextType } from '../../files/file-types.ts'
import { filesAddress } from '../../files/keep-file.ts'
import { fileType, isDataUrl, readDataUrl } from './file-type.ts'

/** A message without the data of its files, and the files. */
export interface TakenFiles {
  /** The message. Its file parts have the address of the file instead of the data. */
  readonly message: unknown
  /** The files to save together with the message. */
  readonly files: readonly MessageFile[]
}

interface TakeOptions {
  readonly store: Pick<Store, 'files'>
  readonly now: () => Date
}

/**
 * Takes the data out of the file parts of a message. Saves nothing. The same message sent again has the same addresses, and
 * so it is recognised as the same. A value that is not a message is returned unchanged; it is checked later. Throws a
 * problem for a file that is not accepted.
 */
export async function takeFiles(options: TakeOptions, chat: ChatKey, message: unknown): Promise<TakenFiles> {
  const parts: unknown = isRecord(message) ? message['parts'] : undefined
  if (!isRecord(message) || !Array.isArray(parts)) return { message, files: [] }
  const sent = parts.filter(isFile)
  if (sent.length > maxFiles) throw tooManyFiles()
  const files = new Map<string, MessageFile>()
  const taken = new Map<unknown, FilePart>()
  let size = 0
  for (const [index, part] of sent.entries()) {
    const file = sentFile(part, index + 1)
    if (!isDataUrl(file.url)) {
      taken.set(part, await ownFile(options, chat, file))
      continue
    }
    const found = newFile(file, options.now().toISOString())
    size += found.bytes.byteLength
    if (size > maxFilesBytes) throw tooLargeTogether()
    files.set(found.id, found)
    taken.set(part, filePart(file, found.mediaType, filesAddress(chat.chatId) + found.id))
  }
  return {
    message: { ...message, parts: parts.map(part => taken.get(part) ?? part) },
    files: [...files.values()],
  }
}

/** A file part as a client sends it. */
interface SentFile {
  readonly url: string
  readonly mediaType: string
  readonly filename: string | undefined
  /** For problems. */
  readonly name: string
}

function isFile(part: unknown): part is Readonly<Record<string, unknown>> {
  return isRecord(part) && part['type'] === 'file'
}

function sentFile(part: Readonly<Record<string, unknown>>, number: number): SentFile {
  const { url, mediaType = '', filename: given } = part
  const filename = typeof given === 'string' ? cleanName(given) : undefined
  const name = filename === undefined ? `File ${number}` : `File ${number} (${JSON.stringify(filename)})`
  if (typeof url !== 'string' || typeof mediaType !== 'string') throw notAFile(name)
  return { url, mediaType: mediaType.slice(0, 100), filename, name }
}

const maxNameLength = 200

/** Returns a file name without folders and control characters; `undefined` when nothing is left of it. */
function cleanName(given: string): string | undefined {
  const [name = ''] = given.split(/[\\/]/).slice(-1)
  const shown = name.replace(/\p{Cc}/gu, '').trim()
  return [...shown].slice(0, maxNameLength).join('').trim() || undefined
}

function newFile({ name, url, mediaType: claimed, filename }: SentFile, at: string): MessageFile {
  const content = readDataUrl(url)
  if (content === undefined) throw notDecodable(name)
  const { bytes } = content
  if (bytes.byteLength === 0) throw emptyFile(name)
  if (bytes.byteLength > maxFileBytes) throw tooLarge(name, false)
  const mediaType = fileType(bytes, { mediaTypes: [claimed, content.mediaType], filename })
  if (mediaType === undefined) throw wrongType(name, claimed || content.mediaType)
  if (isTextType(mediaType) && bytes.byteLength > maxTextFileBytes) throw tooLarge(name, true)
  return { id: idFor(mediaType, bytes), mediaType, bytes, at }
}

/** Returns the id of a file. It is made from its contents, so the same file has the same id. */
function idFor(mediaType: string, bytes: Uint8Array): string {
  const digest = createHash('sha256').update(mediaType).update('\0').update(bytes).digest('hex')
  return `file_${digest.slice(0, 32)}`
}

async function ownFile({ store }: TakeOptions, chat: ChatKey, file: SentFile): Promise<FilePart> {
  const folder = filesAddress(chat.chatId)
  const id = file.url.startsWith(folder) ? file.url.slice(folder.length) : undefined
  if (id === undefined) throw foreignFile(file.name, folder)
  const found = await store.files.find(chat, id)
  if (found === undefined) throw unknownFile(file.name, chat.chatId)
  return filePart(file, found.mediaType, folder + found.id)
}

// The order of the fields is always the same: messages are compared as JSON.
function filePart({ filename }: SentFile, mediaType: string, url: string): FilePart {
  return { type: 'file', mediaType, url, ...defined({ filename }) }
}

const accepted = 'PNG, JPEG, GIF and WebP pictures, PDF, and plain text, Markdown, CSV and JSON in UTF-8'

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`

/** For a part that is not a file part. */
const notAFile = (name: string) =>
  new ProblemError(
    400,
    'invalid-file',
    `${name} is not a file. Send {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,…"}.`,
  )

/** For a data URL that cannot be decoded. */
const notDecodable = (name: string) =>
  new ProblemError(
    400,
    'invalid-file',
    `${name} has a data URL that cannot be decoded. Send "data:", the media type, ";base64," and the bytes in base64.`,
  )

/** For a file without contents. */
const emptyFile = (name: string) =>
  new ProblemError(400, 'invalid-file', `${name} is empty. Send a file that has contents.`)

/** For an address that the server does not read: it opens no connection for a file. */
const foreignFile = (name: string, folder: string) =>
  new ProblemError(
    400,
    'foreign-file',
    `${name} has an address that is not read. Send the file itself as a data URL, or the address of a file that this chat has: ${folder}….`,
  )

/** For an address of a file that the chat does not have. */
const unknownFile = (name: string, chatId: string) =>
  new ProblemError(
    400,
    'unknown-file',
    `${name} names a file that chat ${chatId} does not have. Send the file itself as a data URL.`,
  )

/** For a file of a type that is not accepted. `claimed` is its `mediaType`. */
const wrongType = (name: string, claimed: string) => {
  const said = claimed === '' ? 'of no known type' : `not a valid file of the type ${JSON.stringify(claimed)}`
  return new ProblemError(
    415,
    'file-type',
    `${name} is ${said}. Accepted are ${accepted}. The "mediaType" must be the one that the bytes have.`,
  )
}

/** For a file that is too large. */
const tooLarge = (name: string, isText: boolean) =>
  new ProblemError(
    413,
    'file-too-large',
    `${name} is larger than ${megabytes(isText ? maxTextFileBytes : maxFileBytes)}, the most for ${isText ? 'a text' : 'one'} file. Send a smaller one.`,
  )

/** For a message with too many files. */
const tooManyFiles = () =>
  new ProblemError(
    413,
    'too-many-files',
    `The message has more than ${maxFiles} files. Send the others with another message.`,
  )

/** For a message whose files are too large together. */
const tooLargeTogether = () =>
  new ProblemError(
    413,
    'files-too-large',
    `The files of the message are larger than ${megabytes(maxFilesBytes)} together. Send some of them with another message.`,
  )
