import { createHash, timingSafeEqual } from 'node:crypto'
import { isOwnerId, type OwnerId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import { hostName, isJson, isOwnPage, type RequestSource } from './origin.ts'

export interface GuardOptions {
  /**
   * The names that the Host header may have, without port. They protect against pages of other sites that reach this
   * server under a name of their own.
   */
  readonly hosts: readonly string[]
  /** The owner of each token. If there are none, everybody who reaches the server is the one local owner. */
  readonly tokens: ReadonlyMap<string, OwnerId>
}

/** Throws a problem for a request that must not be handled. Reads only its headers. */
export function assertAllowed(asked: RequestSource, { hosts }: GuardOptions): void {
  const { method, header } = asked
  if (!hosts.includes(hostName(header('host') ?? ''))) {
    throw new ProblemError(
      421,
      'wrong-host',
      'This server does not answer under this Host. Set THROUGHLINE_HOSTS to allow it.',
    )
  }
  if (!isOwnPage(asked, hosts)) {
    throw new ProblemError(
      403,
      'foreign-origin',
      'Pages of another origin may not use this server. If this is your own page behind a proxy, pass the Host header on and set THROUGHLINE_HOSTS to the name of the page (docs/guides/proxies.md).',
    )
  }
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE') return
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
