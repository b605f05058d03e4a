import { pictureBase64 } from '../browser/picture.ts'

/** A file part as the AI SDK sends it. */
export interface SentFilePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string
}

/** The data URL of a real PNG. */
export const pictureUrl = `data:image/png;base64,${pictureBase64}`

export const picturePart = {
  type: 'file',
  mediaType: 'image/png',
  url: pictureUrl,
  filename: 'red.png',
} as const satisfies SentFilePart

/** Returns the part of a file with this content. */
export function fileOf(mediaType: string, content: string | Uint8Array, filename?: string): SentFilePart {
  const base64 = Buffer.from(content).toString('base64')
  return {
    type: 'file',
    mediaType,
    url: `data:${mediaType};base64,${base64}`,
    ...(filename === undefined ? {} : { filename }),
  }
}

/** Returns a message with files, and a text if there is one. */
export function messageWith(files: readonly unknown[], text?: string, id = 'question') {
  return { id, role: 'user', parts: [...files, ...(text === undefined ? [] : [{ type: 'text', text }])] }
}
