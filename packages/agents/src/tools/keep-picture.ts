import { currentFrame } from '../run/agent-frame.ts'
import { sniffPicture } from '../values/pictures/sniff-picture.ts'

/** A picture that is a file of the chat. */
export interface KeptPicture {
  /** Its address on the server, for the chat's owner alone. In a tool's output it is shown as a picture. */
  readonly picture: string
  readonly mediaType: string
  readonly width: number
  readonly height: number
}

/**
 * Keeps a picture as a file of the chat: PNG, JPEG, WebP or GIF, up to 10 MB, up to 100 in an answer. For the code of a
 * tool. Put the result into the tool's output: the page shows it, channels send it, and models read that it is there.
 * Throws when the bytes are no such picture, when a limit is reached, and outside of a tool.
 *
 * @public
 */
export async function keepPicture(bytes: Uint8Array): Promise<KeptPicture> {
  const facts = sniffPicture(bytes)
  if (facts === undefined) throw new TypeError('These bytes are no PNG, JPEG, WebP or GIF picture.')
  const picture = await currentFrame().run.keepFile({ mediaType: facts.mediaType, bytes })
  return { picture, ...facts }
}
