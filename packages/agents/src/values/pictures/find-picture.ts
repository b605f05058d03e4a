import { type PictureFacts, sniffPicture } from './sniff-picture.ts'

export interface Picture extends PictureFacts {
  readonly bytes: Uint8Array
}

/** The picture that a value is: its bytes, or a text with its data URL or its base64; `undefined` when it is none. */
export function findPicture(value: unknown): Picture | undefined {
  const bytes = typeof value === 'string' ? bytesIn(value) : value
  if (!(bytes instanceof Uint8Array)) return undefined
  const facts = sniffPicture(bytes)
  return facts && { ...facts, bytes }
}

/** Whether a text is a data URL of a picture, or of what calls itself one. */
export function isPictureUrl(text: string): boolean {
  return /^data:image\//i.test(text)
}

// How the base64 of each kind begins, so that no other text is decoded.
const beginnings = ['iVBORw0KGgo', '/9j/', 'UklGR', 'R0lGOD']

function bytesIn(text: string): Uint8Array | undefined {
  const base64 = isPictureUrl(text) ? text.slice(text.indexOf(',') + 1) : text
  const isLikely = beginnings.some(each => base64.startsWith(each)) && !/[^A-Za-z0-9+/=\s]/.test(base64)
  return isLikely ? Buffer.from(base64, 'base64') : undefined
}
