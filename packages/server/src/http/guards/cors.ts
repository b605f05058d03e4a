import type { Route } from '../request/route.ts'
import type { RequestSource } from './origin.ts'

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

/** Returns whether this is a browser's question before a request to another origin (preflight). */
export function isPreflight({ method, header }: RequestSource): boolean {
  return (
    method === 'OPTIONS' &&
    header('origin') !== undefined &&
    header('access-control-request-method') !== undefined
  )
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
