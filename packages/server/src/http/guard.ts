import { createHash, timingSafeEqual } from 'node:crypto'
import { isOwnerId, type OwnerId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import { isPreflight } from './cors.ts'
import { hostName, isAllowedPage, isJson, type RequestSource } from './origin.ts'

export interface GuardOptions {
  /**
   * The names that the Host header may have, without port. They protect against pages of other sites that reach this
   * server under a name of their own.
   */
  readonly hosts: readonly string[]
  /** The other origins whose pages may use the server, such as `https://app.example`. Default: none. */
  readonly origins?: readonly string[]
  /** The owner of each token. If there are none, everybody who reaches the server is the one local owner. */
  readonly tokens: ReadonlyMap<string, OwnerId>
}

/** Throws a problem for a request that must not be handled. Reads only its headers. */
export function assertAllowed(asked: RequestSource, { hosts, origins = [] }: GuardOptions): void {
  const { method, header } = asked
  if (!hosts.includes(hostName(header('host') ?? ''))) {
    throw new ProblemError(
      421,
      'wrong-host',
      'This server does not answer under this Host. Set THROUGHLINE_HOSTS to allow it.',
    )
  }
  if (!isAllowedPage(asked, { hosts, origins })) {
    throw new ProblemError(
      403,
      'foreign-origin',
      'Pages of another origin may not use this server. If this is your own page on another origin, add that to THROUGHLINE_ORIGINS (docs/guides/users.md). If it is behind a proxy, pass the Host header on and set THROUGHLINE_HOSTS to the name of the page (docs/guides/proxies.md).',
    )
  }
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE' || isPreflight(asked)) return
  // A form of another site cannot send this content type, and it cannot send a token.
  const type = header('content-type')
  if (!isJson(type) && !(type === undefined && hasToken(header))) {
    throw new ProblemError(
      415,
      'json-required',
      'Send the body as JSON, with the header "content-type: application/json".',
    )
  }
}

/** Returns the owner who sends the request. Throws a 401 problem when the token is not known. */
export function ownerOf({ header }: Pick<RequestSource, 'header'>, { tokens }: GuardOptions): OwnerId {
  if (tokens.size === 0) return localOwner
  const [, token = ''] = /^Bearer (\S+)$/i.exec(header('authorization') ?? '') ?? []
  for (const [known, ownerId] of tokens) if (isSameSecret(token, known)) return ownerId
  throw new ProblemError(
    401,
    'token-required',
    'Send a known token in the header "authorization: Bearer TOKEN".',
  )
}

/** Returns whether a request has a token. Browsers add no token by themselves, and ask before they send one elsewhere. */
function hasToken(header: RequestSource['header']): boolean {
  return /^Bearer \S/i.test(header('authorization') ?? '')
}

const localOwner = asOwner('local')

function asOwner(value: string): OwnerId {
  if (!isOwnerId(value)) throw new TypeError(`"${value}" is not an owner id.`)
  return value
}

// Digests have the same length, and comparing them takes the same time wherever they differ.
function isSameSecret(given: string, known: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(known))
}
