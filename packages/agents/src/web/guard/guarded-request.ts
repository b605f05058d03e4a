import { checkTarget } from './check-target.ts'
import { type AddressOptions, checkedAddresses } from './checked-addresses.ts'
import { startDeadline } from './deadline.ts'
import { decompress } from './decompress.ts'
import { exchange, type HttpRequest, type HttpResponse, readResponseBody, send } from './exchange.ts'
import { openSocket, type SocketOptions } from './open-socket.ts'
import { WebAccessError } from './web-access-error.ts'

/** What may be fetched, and how. */
export type GuardedFetchOptions = AddressOptions &
  SocketOptions & {
    /** Hosts (`intranet.example`) or hosts with a port (`localhost:8080`) whose addresses are not checked. */
    readonly allowHosts?: readonly string[] | undefined
    /** The limit for the whole fetch: DNS lookups, redirects and the body. Default: 15 seconds. */
    readonly timeoutMs?: number | undefined
    /** The limit for the body, both compressed and decompressed. Default: 2,000,000. */
    readonly maxBytes?: number | undefined
    /** Default: 5. */
    readonly maxRedirects?: number | undefined
    readonly signal?: AbortSignal | undefined
    /** Sent in addition to the usual headers. They may hold a key, so a request with headers follows no redirect. */
    readonly headers?: Readonly<Record<string, string>> | undefined
    /** Makes the request a POST. It follows no redirect. */
    readonly body?: string | undefined
  }

/** A successful response. */
export type GuardedResponse = {
  /** The URL of the content, after all redirects. */
  readonly url: string
  readonly contentType: string | undefined
  readonly body: Buffer
}

/**
 * Fetches a URL of the public internet and returns its content. Follows redirects, and checks every URL on the way.
 * Throws a `WebAccessError` for every failure, and for every status that is not 2xx.
 */
export async function guardedFetch(url: string, options: GuardedFetchOptions = {}): Promise<GuardedResponse> {
  using deadline = startDeadline(options.timeoutMs ?? 15_000, options.signal)
  try {
    return await followRedirects(url, options, deadline.signal)
  } catch (error) {
    // After an abort the connection fails in many ways. The cause is the timeout or the stop.
    throw deadline.signal.aborted ? deadline.signal.reason : asWebAccessError(error)
  }
}

async function followRedirects(
  start: string,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const isBare = options.headers === undefined && options.body === undefined
  const maxRedirects = isBare ? (options.maxRedirects ?? 5) : 0
  let url = start
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await requestOnce(url, options, signal).catch(error => {
      throw hop === 0 ? error : afterRedirects(asWebAccessError(error), hop)
    })
    if (response.type === 'content') return response
    if (response.type === 'failure') throw statusError(response.status)
    url = redirectTarget(url, response.location)
  }
  const message = isBare
    ? `The page was redirected more than ${maxRedirects} times.`
    : 'The server sent a redirect. It is not followed, because the request may hold a key that is only for this server.'
  throw new WebAccessError('too-many-redirects', message)
}

type HopResponse =
  | (GuardedResponse & { readonly type: 'content' })
  | Exclude<HttpResponse, { type: 'content' }>

/** Sends one request. Every hop calls this, so the target of a redirect is checked like the first URL. */
async function requestOnce(
  text: string,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<HopResponse> {
  const target = checkTarget(text, options.allowHosts ?? [])
  const addresses = await checkedAddresses(target, options, signal)
  const socket = await openSocket({ target, addresses }, options, signal)
  try {
    const { headers = {}, body, maxBytes = 2_000_000 } = options
    const request = { url: target.url, method: body === undefined ? 'GET' : 'POST', headers, body } as const
    const response = await exchange(socket, request, { maxBytes, signal })
    return response.type === 'content' ? { ...response, url: target.url.href } : response
  } finally {
    socket.destroy()
  }
}

function redirectTarget(from: string, location: string): string {
  const url = URL.parse(location, from)
  if (url === null)
    throw new WebAccessError('invalid-url', 'The page redirects to something that is not a URL.')
  // Somebody on the network could read and change a page that comes over http. Whoever asked for https does not expect
  // that. They can still fetch the http URL itself.
  if (url.protocol === 'http:' && URL.parse(from)?.protocol === 'https:') {
    const message =
      'The page redirects from https to http, which is not followed. Fetch the http URL if that is meant.'
    throw new WebAccessError('blocked-scheme', message)
  }
  return url.href
}

function afterRedirects(error: WebAccessError, hops: number): WebAccessError {
  const where = hops === 1 ? 'After a redirect' : `After ${hops} redirects`
  return new WebAccessError(error.code, `${where}: ${error.message}`, error.status)
}

function statusError(status: number): WebAccessError {
  return new WebAccessError('http-status', `The server responded with status ${status}.`, status)
}

// Shows only the code of a system error, because its message names the address.
function asWebAccessError(error: unknown): WebAccessError {
  if (error instanceof WebAccessError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const shown = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : ''
  return new WebAccessError('network', `The connection to the server failed${shown}.`)
}

/** What may be requested, and how. */
export type GuardedResponseOptions = AddressOptions &
  SocketOptions & {
    /** Hosts (`intranet.example`) or hosts with a port (`localhost:8080`) whose addresses are not checked. */
    readonly allowHosts?: readonly string[] | undefined
    /** The limit for the whole request. Default: 15 seconds. */
    readonly timeoutMs?: number | undefined
    /** The limit for the body. Default: 1,000,000. */
    readonly maxBytes?: number | undefined
    readonly signal?: AbortSignal | undefined
  }

/**
 * Sends one request to the public internet and returns the response, whatever its status is. It follows no redirect: the
 * caller asks again, so that every URL is checked. Throws a `WebAccessError` for an address that is not public.
 */
export async function guardedResponse(
  url: string,
  { method, headers, body }: Omit<HttpRequest, 'url'>,
  options: GuardedResponseOptions,
): Promise<Response> {
  const { allowHosts = [], timeoutMs = 15_000, maxBytes = 1_000_000 } = options
  using deadline = startDeadline(timeoutMs, options.signal)
  const target = checkTarget(url, allowHosts)
  const addresses = await checkedAddresses(target, options, deadline.signal)
  const socket = await openSocket({ target, addresses }, options, deadline.signal)
  try {
    const received = await send(socket, { url: target.url, method, headers, body }, deadline.signal)
    const raw = await readResponseBody(received, maxBytes)
    const { statusCode: status = 502 } = received
    const content = await decompress(raw, { encoding: received.headers['content-encoding'], maxBytes })
    const isBodyless = status === 204 || status === 205 || status === 304
    return new Response(isBodyless ? null : new Uint8Array(content), {
      status,
      headers: [...kept(received.headersDistinct)],
    })
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    socket.destroy()
  }
}

/** The headers that describe the body as it was sent are left out: the body is decompressed already. */
function* kept(headers: Readonly<Record<string, string[] | undefined>>): Generator<[string, string]> {
  for (const [name, values = []] of Object.entries(headers)) {
    if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') continue
    for (const value of values) yield [name, value]
  }
}
