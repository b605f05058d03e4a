import { ProblemError } from '@throughline/protocol'
import { maxFileBytes, maxFiles, maxFilesBytes, maxTextFileBytes } from '../../runs/attachment-limits.ts'

const accepted = 'PNG, JPEG, GIF and WebP pictures, PDF, and plain text, Markdown, CSV and JSON in UTF-8'

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`

/** For a part that is not a file part. */
export const notAFile = (name: string) =>
  new ProblemError(
    400,
    'invalid-file',
    `${name} is not a file. Send {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,…"}.`,
  )

/** For a data URL that cannot be decoded. */
export const notDecodable = (name: string) =>
  new ProblemError(
    400,
    'invalid-file',
    `${name} has a data URL that cannot be decoded. Send "data:", the media type, ";base64," and the bytes in base64.`,
  )

/** For a file without contents. */
export const emptyFile = (name: string) =>
  new ProblemError(400, 'invalid-file', `${name} is empty. Send a file that has contents.`)

/** For an address that the server does not read: it opens no connection for a file. */
export const foreignFile = (name: string, folder: string) =>
  new ProblemError(
    400,
    'foreign-file',
    `${name} has an address that is not read. Send the file itself as a data URL, or the address of a file that this chat has: ${folder}….`,
  )

/** For an address of a file that the chat does not have. */
export const unknownFile = (name: string, chatId: string) =>
  new ProblemError(
    400,
    'unknown-file',
    `${name} names a file that chat ${chatId} does not have. Send the file itself as a data URL.`,
  )

/** For a file of a type that is not accepted. `claimed` is its `mediaType`. */
export const wrongType = (name: string, claimed: string) => {
  const said = claimed === '' ? 'of no known type' : `not a valid file of the type ${JSON.stringify(claimed)}`
  return new ProblemError(
    415,
    'file-type',
    `${name} is ${said}. Accepted are ${accepted}. The "mediaType" must be the one that the bytes have.`,
  )
}

/** For a file that is too large. */
export const tooLarge = (name: string, isText: boolean) =>
  new ProblemError(
    413,
    'file-too-large',
    `${name} is larger than ${megabytes(isText ? maxTextFileBytes : maxFileBytes)}, the most for ${isText ? 'a text' : 'one'} file. Send a smaller one.`,
  )

/** For a message with too many files. */
export const tooManyFiles = () =>
  new ProblemError(
    413,
    'too-many-files',
    `The message has more than ${maxFiles} files. Send the others with another message.`,
  )

/** For a message whose files are too large together. */
export const tooLargeTogether = () =>
  new ProblemError(
    413,
    'files-too-large',
    `The files of the message are larger than ${megabytes(maxFilesBytes)} together. Send some of them with another message.`,
  )
