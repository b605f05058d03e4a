import { findPicture, isPictureUrl, type Picture } from './find-picture.ts'
import { mapLeaves } from './map-leaves.ts'

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
