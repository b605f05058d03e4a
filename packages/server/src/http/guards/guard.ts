import { ProblemError } from '@throughline/protocol'
import { StartError } from '../../refusals/start-error.ts'
import type { Route } from '../request/route.ts'
import type { IdentifyOptions } from '../sign-in/identity.ts'

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

/** Returns whether this is a browser's question before a request to another origin (preflight). */
export function isPreflight({ method, header }: RequestSource): boolean {
  return (
    method === 'OPTIONS' &&
    header('origin') !== undefined &&
    header('access-control-request-method') !== undefined
  )
}

/** The parts of a request that show where it comes from. */
export interface RequestSource {
  readonly method: string
  readonly header: (name: string) => string | undefined
}

/** The names of this server, without port, and the other origins whose pages may use it. */
interface AllowedPages {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/**
 * Returns whether the page that sends this request may use the server. docs/decisions/0007-origins.md says why each rule
 * is safe.
 */
function isAllowedPage({ method, header }: RequestSource, { hosts, origins }: AllowedPages): boolean {
  const origin = header('origin')
  if (origin === undefined) return !isForeignSubresource(header)
  if (origins.includes(origin)) return true
  const host = header('host') ?? ''
  if (origin === `http://${host}` || origin === `https://${host}`) return true
  // A proxy may have replaced the Host. Then two things must be true: the page has one of our names, and the browser
  // says that the request goes to the page's own origin, or the request is one that browsers do not send to another
  // origin without a preflight.
  if (!hasOwnName(origin, { host, hosts })) return false
  switch (header('sec-fetch-site')) {
    case 'same-origin':
      return true
    case 'same-site':
      return needsPreflight({ method, header })
    default:
      return false
  }
}

/** Returns the name in a Host header or in an origin, without its port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

/** Returns whether a name always means the machine that uses it. */
export function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/**
 * Returns whether a page of another origin loads this as a part of it, such as an image. Browsers send no Origin then, but
 * they do send cookies. Links are allowed, because a person follows them.
 */
function isForeignSubresource(header: RequestSource['header']): boolean {
  const site = header('sec-fetch-site')
  return (site === 'cross-site' || site === 'same-site') && header('sec-fetch-mode') !== 'navigate'
}

/**
 * Returns whether a page has one of our names. A page under a loopback name may use a server under a loopback name.
 * Other pages need a name that the server was given.
 */
function hasOwnName(origin: string, { host, hosts }: { host: string; hosts: readonly string[] }): boolean {
  const [, authority = ''] = /^https?:\/\/([\w.:[\]-]+)$/i.exec(origin) ?? []
  const name = hostName(authority)
  return isLoopbackHost(name) ? isLoopbackHost(hostName(host)) : hosts.includes(name)
}

/** Returns whether browsers send a preflight before this request if it goes to another origin. */
function needsPreflight({ method, header }: RequestSource): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return method === 'DELETE' || isJson(header('content-type'))
}

/** Returns whether the content type is JSON. Browsers send JSON to another origin only after a preflight. */
function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType)
}

/**
 * Throws a `StartError` for the first text that no browser sends as an `Origin`. Such an entry would never match, so its
 * pages would be refused without a reason that anybody can see.
 */
export function assertOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    const issue = issueOf(origin)
    if (issue !== undefined)
      throw new StartError('origins', `origins (THROUGHLINE_ORIGINS): ${JSON.stringify(origin)} ${issue}`)
  }
}

/** Returns what is wrong with an origin and what to write instead; `undefined` when it is right. */
function issueOf(origin: string): string | undefined {
  if (origin.includes('*'))
    return 'has a "*". Name every origin by itself, such as "https://app.example": these pages act for whoever has them open.'
  if (origin === 'null')
    return 'stands for every page without an origin, such as a file. Serve the page from an address, and write that.'
  const url = URL.parse(origin)
  if (url === null || !/^https?:\/\//i.test(origin)) return withoutScheme(origin)
  return url.origin === origin ? undefined : `is not an origin. Write ${JSON.stringify(url.origin)}.`
}

/** `localhost:5173` is a URL too, with the scheme `localhost:`. So the text is tried as the name of a host. */
function withoutScheme(text: string): string {
  const isOtherScheme = /^[a-z][\w+.-]*:\/\//i.test(text)
  const url = isOtherScheme ? null : URL.parse(`https://${text}`)
  return url === null || url.hostname === ''
    ? 'is not an origin. Write a scheme and a host, such as "https://app.example" or "http://localhost:5173".'
    : `has no scheme. Write ${JSON.stringify(url.origin)} or ${JSON.stringify(`http://${url.host}`)}.`
}

/** How long a browser may remember a preflight, in seconds. Chrome takes up to 7,200. */
const maxAge = 600

/** The headers of requests that routes read, beside those that every page may send. */
const requestHeaders = ['authorization', 'content-type', 'last-event-id', 'user-agent']

/** The headers of responses that clients read, beside those that every page may read. */
const exposedHeaders = [
  'x-request-id',
  'x-session-id',
  'x-message-id',
  'x-answer-id',
  'x-chat-id',
  'x-should-retry',
  'x-vercel-ai-ui-message-stream',
  'x-vercel-ai-data-stream',
  'x-workflow-run-id',
  'x-workflow-stream-tail-index',
]

/**
 * Returns the headers that let a page of another origin read the response. Only the origins in the list get them. A
 * server with a list sends `Vary` to everybody, because a cache must not give one page the response for another.
 */
export function corsHeaders(
  { header }: Pick<RequestSource, 'header'>,
  origins: readonly string[],
): Readonly<Record<string, string>> {
  if (origins.length === 0) return {}
  const origin = header('origin')
  if (origin === undefined || !origins.includes(origin)) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': exposedHeaders.join(', '),
  }
}

/**
 * Responds to a preflight: which methods and headers a page may send. The browser compares them with what the page wants
 * to send. `corsHeaders` must be added: without them, the response permits nothing.
 */
export function preflightResponse(
  { header }: Pick<RequestSource, 'header'>,
  methods: readonly Route['method'][],
): Response {
  return new Response(null, {
    status: 204,
    headers: {
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      'access-control-allow-methods': [...new Set(methods)].join(', '),
      'access-control-allow-headers': [
        ...requestHeaders,
        ...ownHeaders(header('access-control-request-headers')),
      ].join(', '),
      'access-control-max-age': `${maxAge}`,
    },
  })
}

/** Returns the asked headers that begin with `x-`. Clients and applications have their own, such as `x-csrf-token`. */
function ownHeaders(asked = ''): readonly string[] {
  return asked
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => /^x-[a-z\d-]{1,64}$/.test(name))
}
