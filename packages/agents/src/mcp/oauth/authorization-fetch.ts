import { isRecord } from '@throughline/protocol'
import { type GuardedResponseOptions, guardedResponse } from '../../web/guard/guarded-request.ts'

/** What the requests of one connection go through. */
export interface AuthorizationFetchOptions extends Pick<GuardedResponseOptions, 'ca' | 'resolve'> {
  /** The MCP server of the configuration. */
  readonly url: string
  /** Sends requests to the MCP server itself. */
  readonly inner: typeof fetch
  /** Hosts that the operator allowed by name, also when they are not on the public internet. */
  readonly allowHosts: readonly string[]
  /** Called when the server refused a request because the tokens do not allow it, with what they would have to allow. */
  readonly onMissingScope?: (scope: string) => Promise<void>
  /** Called with the address at which the MCP server describes itself, when it refuses a request without tokens. */
  readonly onChallenge?: (resourceMetadataUrl: string) => void
  /** Called with what an authorization server says about itself. */
  readonly onMetadata?: (metadata: Readonly<Record<string, unknown>>) => void
}

/**
 * Makes the `fetch` of a connection with sign-in. The MCP server decides which authorization server there is, so requests
 * to that one pass the checks for addresses that strangers choose.
 */
export function authorizationFetch(options: AuthorizationFetchOptions): typeof fetch {
  const { url, inner, onMissingScope, onChallenge, onMetadata } = options
  const own = new URL(url)
  const tenants = new Set<string>()
  return async (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : input)
    // The SDK looks at the root, too, when an authorization server has a path. There may be one for somebody else.
    if (asked.pathname.startsWith(`${metadataPath}/`)) tenants.add(asked.origin)
    if (asked.pathname === metadataPath && tenants.has(asked.origin))
      return new Response(null, { status: 404 })
    const response =
      asked.origin === own.origin ? await inner(input, init) : await guarded(asked, init, options)
    const challenge = response.headers.get('www-authenticate') ?? ''
    const described =
      response.status === 401 ? /\bresource_metadata="([^"]+)"/i.exec(challenge)?.[1] : undefined
    if (described !== undefined) onChallenge?.(described)
    const scope = response.status === 403 ? missingScopeIn(challenge) : undefined
    if (scope !== undefined) await onMissingScope?.(scope)
    if (onMetadata !== undefined && response.ok && isMetadata(asked)) onMetadata(await metadataIn(response))
    return response
  }
}

const metadataPath = '/.well-known/oauth-authorization-server'

function guarded(
  url: URL,
  { method, headers, body, signal }: RequestInit = {},
  { url: server, allowHosts, ca, resolve }: AuthorizationFetchOptions,
): Promise<Response> {
  // A server on this machine, which the operator configured, may name another port of this machine.
  const isLocal = isLoopbackUrl(new URL(server)) && isLoopbackUrl(url)
  const isAllowed = isLocal || allowHosts.includes(url.host)
  if (url.protocol !== 'https:' && !isAllowed)
    throw new Error(`The authorization server "${url.origin}" is not used, because it is not on https.`)
  return guardedResponse(
    url.href,
    {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? undefined : String(body),
    },
    {
      allowHosts: isLocal ? [...allowHosts, url.host] : allowHosts,
      ca,
      resolve,
      signal: signal ?? undefined,
    },
  )
}

/** Returns whether a URL always means the machine that uses it. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function missingScopeIn(challenge: string): string | undefined {
  if (!/\berror="?insufficient_scope\b/i.test(challenge)) return undefined
  return /(?:^|[,\s])scope="([^"]*)"/i.exec(challenge)?.[1] ?? ''
}

function isMetadata({ pathname }: URL): boolean {
  return /\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/|$)/.test(pathname)
}

async function metadataIn(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const metadata: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return isRecord(metadata) ? metadata : {}
}
