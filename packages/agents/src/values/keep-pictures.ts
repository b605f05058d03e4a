import { type PictureFacts, sniffPicture } from './sniff-picture.ts'

/** Keeps a file, and resolves to its address. */
export type KeepFile = (file: { readonly mediaType: string; readonly bytes: Uint8Array }) => Promise<string>

/** How many pictures of one output are kept. */
const maxPictures = 10

/** Returns whether an output contains pictures, or data URLs of pictures. These must not be written as they are. */
export function hasPictures(output: unknown): boolean {
  let isFound = false
  try {
    mapLeaves(output, leaf => {
      isFound ||= findPicture(leaf) !== undefined || withoutUrls(leaf) !== leaf
      return leaf
    })
    return isFound
  } catch {
    // Its fields cannot be read, for example because a getter throws.
    return false
  }
}

/**
 * Keeps the pictures of an output as files of the chat, and returns the output with the addresses of the files in their
 * place. In place of a picture that cannot be kept, it has the reason. Never rejects: the tool has done its work.
 */
export async function keepPictures(output: unknown, keepFile: KeepFile): Promise<unknown> {
  const found = new Map<unknown, Picture>()
  mapLeaves(output, leaf => {
    const picture = findPicture(leaf)
    if (picture !== undefined) found.set(leaf, picture)
    return leaf
  })
  const kept = new Map<unknown, string>()
  for (const [leaf, { mediaType, bytes }] of found) {
    const address =
      kept.size < maxPictures
        ? await keepFile({ mediaType, bytes }).catch(leftOut)
        : leftOut(new Error(`One output can have ${maxPictures}.`))
    kept.set(leaf, address)
  }
  return mapLeaves(output, leaf => kept.get(leaf) ?? withoutUrls(leaf))
}

/** Returns the output for a model that does not see pictures. A note says where each picture was. */
export function describePictures(output: unknown): unknown {
  return mapLeaves(output, leaf => {
    const picture = findPicture(leaf)
    if (picture === undefined) return withoutUrls(leaf)
    const { mediaType, width, height } = picture
    return `[a picture for the user: ${mediaType}, ${width} by ${height} pixels]`
  })
}

function leftOut(error: unknown): string {
  return `[a picture was left out: ${error instanceof Error ? error.message : 'it could not be kept.'}]`
}

// Data URLs inside a text, and data URLs of other kinds, are replaced: nobody can use these bytes.
function withoutUrls(leaf: unknown): unknown {
  if (typeof leaf !== 'string' || !leaf.includes('data:image/')) return leaf
  if (isPictureUrl(leaf)) return '[a picture of another kind than PNG, JPEG, WebP or GIF was left out]'
  return leaf.replace(
    /data:image\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=-]{1,40})*,[A-Za-z0-9+/=%]*/gi,
    '[a picture was left out]',
  )
}

/** A picture that was found in a value. */
interface Picture extends PictureFacts {
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
function isPictureUrl(text: string): boolean {
  return /^data:image\//i.test(text)
}

// The beginnings of each kind of picture in base64. Other texts are not decoded.
const beginnings = ['iVBORw0KGgo', '/9j/', 'UklGR', 'R0lGOD']

function bytesIn(text: string): Uint8Array | undefined {
  const base64 = isPictureUrl(text) ? text.slice(text.indexOf(',') + 1) : text
  const isLikely = beginnings.some(each => base64.startsWith(each)) && !/[^A-Za-z0-9+/=\s]/.test(base64)
  return isLikely ? Buffer.from(base64, 'base64') : undefined
}

type Change = (leaf: unknown) => unknown

/** Deeper values are left as they are: they have no pictures, and recursion needs a limit. */
const maxDepth = 50

/**
 * Returns a value with its leaves changed: the texts, numbers and bytes in lists and plain objects. A list or object
 * without a changed leaf is returned as it is, not as a copy. A changed leaf `screenshot_base64` is renamed to
 * `screenshot`.
 */
function mapLeaves(value: unknown, change: Change, depth = 0): unknown {
  if (depth > maxDepth) return value
  if (Array.isArray(value)) {
    const mapped = value.map(each => mapLeaves(each, change, depth + 1))
    return mapped.some((each, index) => each !== value[index]) ? mapped : value
  }
  if (!isPlainObject(value)) return change(value)
  const entries = Object.entries(value)
  const mapped = entries.map(([key, each]) => [key, mapLeaves(each, change, depth + 1)] as const)
  if (mapped.every(([, each], index) => each === entries[index]?.[1])) return value
  return Object.fromEntries(
    mapped.map(([key, each]) =>
      key === base64Key && each !== value[key] ? ['screenshot', each] : [key, each],
    ),
  )
}

const base64Key = 'screenshot_base64'

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
