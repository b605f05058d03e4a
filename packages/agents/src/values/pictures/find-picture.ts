import { type PictureFacts, sniffPicture } from './sniff-picture.ts'

/** A picture that was found in a value. */
export interface Picture extends PictureFacts {
  readonly bytes: Uint8Array
}

/** Returns the picture in a value: bytes, a data URL or base64. Returns `undefined` when the value is no picture. */
export function findPicture(value: unknown): Picture | undefined {
  const bytes = typeof value === 'string' ? bytesIn(value) : value
  if (!(bytes instanceof Uint8Array)) return undefined
  const facts = sniffPicture(bytes)
  return facts && { ...facts, bytes }
}

/** Returns whether a text is a data URL with the media type of a picture. Its bytes may still be something else. */
export function isPictureUrl(text: string): boolean {
  return /^data:image\//i.test(text)
}

// The beginnings of each kind of picture in base64. Other texts are not decoded.
const beginnings = ['iVBORw0KGgo', '/9j/', 'UklGR', 'R0lGOD']

function bytesIn(text: string): Uint8Array | undefined {
  const base64 = isPictureUrl(text) ? text.slice(text.indexOf(',') + 1) : text
  const isLikely = beginnings.some(each => base64.startsWith(each)) && !/[^A-Za-z0-9+/=\s]/.test(base64)
  return isLikely ? Buffer.from(base64, 'base64') : undefined
}
