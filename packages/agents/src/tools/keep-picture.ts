import { currentFrame } from '../run/agent-frame.ts'
import { sniffPicture } from '../values/pictures/sniff-picture.ts'

/** A picture that is a file of the chat. */
export interface KeptPicture {
  /** Its address on the server. Only the chat's owner can read it. In a tool's output, pages show it as a picture. */
  readonly picture: string
  /** Such as `image/png`. */
  readonly mediaType: string
  /** In pixels. */
  readonly width: number
  /** In pixels. */
  readonly height: number
}

/**
 * Saves a picture as a file of the chat: PNG, JPEG, WebP or GIF, up to 10 MB each, and up to 100 in one answer. Call it in
 * a tool, and put the result into the tool's output. Then pages show the picture, channels send it, and the model reads
 * that there is a picture. Rejects when the bytes are no such picture, when a limit is reached, and outside of a run.
 *
 * @public
 */
export async function keepPicture(bytes: Uint8Array): Promise<KeptPicture> {
  const facts = sniffPicture(bytes)
  if (facts === undefined)
    throw new TypeError(
      'keepPicture: these bytes are not a PNG, JPEG, WebP or GIF picture. Convert it first.',
    )
  const picture = await currentFrame().run.keepFile({ mediaType: facts.mediaType, bytes })
  return { picture, ...facts }
}
