import { findPicture, isPictureUrl, type Picture } from './find-picture.ts'
import { mapLeaves } from './map-leaves.ts'

/** Keeps a file, and resolves to its address. */
export type KeepFile = (file: { readonly mediaType: string; readonly bytes: Uint8Array }) => Promise<string>

/** As many pictures of one output are kept. */
const maxPictures = 10

/** Whether there is anything in an output that must not be written down as it is. */
export function hasPictures(output: unknown): boolean {
  let isFound = false
  try {
    mapLeaves(output, leaf => {
      isFound ||= findPicture(leaf) !== undefined || withoutUrls(leaf) !== leaf
      return leaf
    })
    return isFound
  } catch {
    // An output whose fields cannot be read, such as one with a getter that throws.
    return false
  }
}

/**
 * The output with the addresses of files in place of its pictures, which are kept as files of the chat. A picture that
 * cannot be kept is left out, with the reason. Never rejects: a tool has done its work by then.
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

/** The output for a model that does not see pictures: in their place it reads that they are there. */
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

// Within a text, and as what they are not, pictures are only bytes that nobody can use.
function withoutUrls(leaf: unknown): unknown {
  if (typeof leaf !== 'string' || !leaf.includes('data:image/')) return leaf
  if (isPictureUrl(leaf)) return '[a picture of another kind than PNG, JPEG, WebP or GIF was left out]'
  return leaf.replace(
    /data:image\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=-]{1,40})*,[A-Za-z0-9+/=%]*/gi,
    '[a picture was left out]',
  )
}
