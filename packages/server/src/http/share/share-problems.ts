import { ProblemError } from '@throughline/protocol'
import { maxCopyBytes } from './copy-messages.ts'

/** How many links one chat may have. Each has a copy of its own. */
export const maxShares = 20

/** For every route for links, on a server that does not offer them. */
export const sharingOff = () =>
  new ProblemError(403, 'sharing-off', 'Sharing is switched off on this server: see docs/guides/share.md.')

/** For a link that does not exist, or not any more. Both look the same to whoever asks. */
export const shareNotFound = () =>
  new ProblemError(404, 'share-not-found', 'There is no such link, or its owner has stopped sharing it.')

/** For a chat without a message that has ended. */
export const nothingToShare = () =>
  new ProblemError(
    409,
    'nothing-to-share',
    'There is nothing to share yet. Try again when the chat has a message.',
  )

/** For a chat that has too many links. */
export const tooManyShares = () =>
  new ProblemError(
    409,
    'too-many-shares',
    `This chat has ${maxShares} links, and cannot have more. Stop sharing one of them.`,
  )

/** For a chat that is too long for one copy. */
export const tooLargeToShare = () =>
  new ProblemError(
    413,
    'too-large-to-share',
    `This chat is larger than ${maxCopyBytes / 1024 / 1024} MB, and cannot be shared.`,
  )

/** Returns the path of a request for the server's log, without the key of a link: whoever knows it can read the copy. */
export function withoutShareKey(path: string): string {
  return path.replace(/(\/shared?\/)[0-9a-f]{40}\b/, '$1…')
}
