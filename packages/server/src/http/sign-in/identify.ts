import { isOwnerId, type OwnerId, ProblemError } from '@throughline/protocol'
import { plainSender } from '../../who/sender.ts'
import type { HttpContext } from '../request/context.ts'
import {
  type Authenticate,
  AuthenticateError,
  type Identified,
  type IdentifyOptions,
  identifiedFrom,
} from './identity.ts'

/** What says who sends a request. */
export interface Asker {
  readonly url: string
  readonly method: string
  /** The header of this name. */
  readonly authorization: string | undefined
  readonly headers: () => Headers
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
}

/** Returns what says who sends a request. */
export function askerOf({ req, env }: HttpContext): Asker {
  const { url, method } = req
  return {
    url,
    method,
    authorization: req.header('authorization'),
    headers: () => req.raw.headers,
    closed: env.closed,
  }
}

/**
 * Returns who sends a request: the owner of its token, or the person that the application's `authenticate` returns. Without
 * tokens and `authenticate`, everybody is the same owner, `local`. Throws a 401 problem when the sender is not known.
 */
export async function identify(
  asker: Asker,
  { tokens, isForAll, authenticate, authenticateMs = 10_000 }: IdentifyOptions,
): Promise<Identified> {
  const ownerId = tokens.ownerOf(asker.authorization)
  if (ownerId !== undefined) return { ownerId, sender: plainSender }
  if (authenticate !== undefined) return authenticated(asker, authenticate, authenticateMs)
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

async function authenticated(
  { url, method, headers, closed }: Asker,
  authenticate: Authenticate,
  maxMs: number,
): Promise<Identified> {
  const stop = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const end = () => {
    reject(timedOut())
    stop.abort()
  }
  // Not `AbortSignal.any`: the senders of a stream are looked at again and again, and `closed` would keep each signal.
  const timer = setTimeout(end, maxMs)
  closed.addEventListener('abort', end, { once: true })
  if (closed.aborted) end()
  try {
    // Without the body: the route reads that itself, and it can be read only once.
    const request = new Request(url, { method, headers: headers(), signal: stop.signal })
    const identity = await Promise.race([stopped, askApplication(authenticate, request)])
    if (identity != null) return identifiedFrom(identity)
  } finally {
    clearTimeout(timer)
    closed.removeEventListener('abort', end)
  }
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
    throw new AuthenticateError(`authenticate failed with ${describe(error)}.`)
  }
}

/** The application takes too long, or nobody waits for it any more. */
function timedOut(): ProblemError {
  return new ProblemError(
    503,
    'sign-in-timeout',
    'The application took too long to say who is signed in. Try again later.',
  )
}

/**
 * Returns what the log may say of what the application threw: its kind, its code, and where. Not its message: that of a
 * database may have a password in it.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `a value that is no Error (${typeof error})`
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const kind = /^[A-Za-z]\w{0,63}$/.test(error.name) ? error.name : 'an Error'
  const frame = frameOf(error)
  return `${kind}${/^[A-Z][A-Z0-9_]{0,31}$/.test(code) ? ` ${code}` : ''}${frame === '' ? '' : ` ${frame}`}`
}

/** Returns the first line of the stack after the message. Empty when it cannot be told from the message. */
function frameOf({ name, message, stack = '' }: Error): string {
  const head = message === '' ? name : `${name}: ${message}`
  if (!stack.startsWith(`${head}\n`)) return ''
  const [frame = ''] = stack.slice(head.length + 1).split('\n', 1)
  return /^\s+at /.test(frame) ? frame.trim().slice(0, 300) : ''
}
