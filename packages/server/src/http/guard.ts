import { createHash, timingSafeEqual } from 'node:crypto'
import { isOwnerId, type OwnerId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'

export interface GuardOptions {
  /** The names under which this server may be addressed, without port; a page elsewhere must not reach it. */
  readonly hosts: readonly string[]
  /** Token to owner. Empty: everybody who reaches the server is the one local owner. */
  readonly tokens: ReadonlyMap<string, OwnerId>
}

interface Asked {
  readonly method: string
  readonly header: (name: string) => string | undefined
}

/** Refuses what must not get in, before any work is done for it. */
export function assertAllowed({ method, header }: Asked, { hosts }: GuardOptions): void {
  const host = header('host') ?? ''
  if (!hosts.includes(hostName(host))) {
    throw new ProblemError(
      421,
      'wrong-host',
      'This server does not answer under this Host. Set THROUGHLINE_HOSTS to allow it.',
    )
  }
  const origin = header('origin')
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new ProblemError(403, 'foreign-origin', 'Pages of another origin may not use this server.')
  }
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE') return
  // A simple form of a foreign page cannot send this type, so it cannot post here at all.
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
    throw new ProblemError(
      415,
      'json-required',
      'Send the body as JSON, with the header "content-type: application/json".',
    )
  }
}

/** Who is asking. */
export function ownerOf({ header }: Pick<Asked, 'header'>, { tokens }: GuardOptions): OwnerId {
  if (tokens.size === 0) return localOwner
  const [, token = ''] = /^Bearer (\S+)$/i.exec(header('authorization') ?? '') ?? []
  for (const [known, ownerId] of tokens) if (isSameSecret(token, known)) return ownerId
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

// Digests have one length, and comparing them takes the same time wherever they differ.
function isSameSecret(given: string, known: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(known))
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}
