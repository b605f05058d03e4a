import { isOwnerId, type OwnerId, ProblemError } from '@throughline/protocol'
import { plainSender } from '../runs/sender.ts'
import type { HttpContext } from './context.ts'
import type { GuardOptions } from './guard.ts'
import { type Authenticate, AuthenticateError, type Identified, identifiedFrom } from './identity.ts'

/**
 * Returns who sends a request: the owner of its token, or the person that the application's `authenticate` returns. Without
 * tokens and `authenticate`, everybody is the same owner, `local`. Throws a 401 problem when the sender is not known.
 */
export async function identify(
  context: HttpContext,
  { tokens, isForAll, authenticate }: Pick<GuardOptions, 'tokens' | 'isForAll' | 'authenticate'>,
): Promise<Identified> {
  const ownerId = tokens.ownerOf(context.req.header('authorization'))
  if (ownerId !== undefined) return { ownerId, sender: plainSender }
  if (authenticate !== undefined) return authenticated(context, authenticate)
  if (isForAll) return { ownerId: localOwner, sender: plainSender }
  throw new ProblemError(
    401,
    'token-required',
    'Send a known token in the header "authorization: Bearer TOKEN".',
  )
}

const localOwner = asOwner('local')

function asOwner(value: string): OwnerId {
  if (!isOwnerId(value)) throw new TypeError(`"${value}" is not an owner id.`)
  return value
}

async function authenticated({ req }: HttpContext, authenticate: Authenticate): Promise<Identified> {
  // Without the body: the route reads that itself, and it can be read only once.
  const request = new Request(req.url, { method: req.method, headers: req.raw.headers })
  const identity = await askApplication(authenticate, request)
  if (identity != null) return identifiedFrom(identity)
  throw new ProblemError(
    401,
    'sign-in-required',
    'Nobody is signed in. Sign in to the application, and try again.',
  )
}

async function askApplication(authenticate: Authenticate, request: Request): Promise<unknown> {
  try {
    return await authenticate(request)
  } catch (error) {
    // The client does not see this error. It is only for the log.
    throw new AuthenticateError('authenticate failed.', { cause: error })
  }
}
