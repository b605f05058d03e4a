import { ProblemError } from '@throughline/protocol'
import type { IdentifyOptions } from '../sign-in/identity.ts'
import { isPreflight } from './cors.ts'
import { hostName, isAllowedPage, isJson, type RequestSource } from './origin.ts'

/** Which requests are allowed, and how their sender is known. */
export interface GuardOptions extends IdentifyOptions {
  /**
   * The names that the Host header may have, without port. They protect against pages of other sites that reach this
   * server under a name of their own.
   */
  readonly hosts: readonly string[]
  /** The other origins whose pages may use the server, such as `https://app.example`. Default: none. */
  readonly origins?: readonly string[]
  /** How long a ticket can be used, in milliseconds. Default: 60,000. */
  readonly ticketMs?: number | undefined
  /** What tickets are encrypted with. Default: a key that only this process has. */
  readonly ticketKey?: Buffer | undefined
}

/** Throws a problem for a request that must not be handled. Reads only its headers. */
export function assertAllowed(asked: RequestSource, { hosts, origins = [] }: GuardOptions): void {
  const { method, header } = asked
  if (!hosts.includes(hostName(header('host') ?? ''))) {
    throw new ProblemError(
      421,
      'wrong-host',
      'This server does not accept requests to this host name. Add the name to THROUGHLINE_HOSTS to allow it.',
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

/** Returns whether a request has a token. Browsers add no token by themselves, and ask before they send one elsewhere. */
function hasToken(header: RequestSource['header']): boolean {
  return /^Bearer \S/i.test(header('authorization') ?? '')
}
