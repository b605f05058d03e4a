import { checkTarget } from './check-target.ts'
import { type AddressOptions, checkedAddresses } from './checked-addresses.ts'
import { startDeadline } from './deadline.ts'
import { exchange, type HttpAnswer } from './exchange.ts'
import { openSocket, type SocketOptions } from './open-socket.ts'
import { WebAccessError } from './web-access-error.ts'

export type GuardedFetchOptions = AddressOptions &
  SocketOptions & {
    /** Hosts (`intranet.example`) or hosts with a port (`localhost:8080`) whose addresses are not checked. */
    readonly allowHosts?: readonly string[] | undefined
    /** For everything together: names, redirects and the body. */
    readonly timeoutMs?: number | undefined
    /** Of the body, compressed and decompressed. */
    readonly maxBytes?: number | undefined
    readonly maxRedirects?: number | undefined
    readonly signal?: AbortSignal | undefined
    /** May hold a key, so a request with headers follows no redirect. */
    readonly headers?: Readonly<Record<string, string>> | undefined
    /** Makes it a POST, which follows no redirect either. */
    readonly body?: string | undefined
  }

export type GuardedResponse = {
  /** Where the content came from, after redirects. */
  readonly url: string
  readonly contentType: string | undefined
  readonly body: Buffer
}

/** Fetches a public URL. Every way this can fail is a `WebAccessError`. */
export async function guardedFetch(url: string, options: GuardedFetchOptions = {}): Promise<GuardedResponse> {
  using deadline = startDeadline(options.timeoutMs ?? 15_000, options.signal)
  try {
    return await followRedirects(url, options, deadline.signal)
  } catch (error) {
    // Whatever broke first, the time or the stop is why.
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
    const answer = await askOnce(url, options, signal).catch(error => {
      throw hop === 0 ? error : afterRedirects(asWebAccessError(error), hop)
    })
    if (answer.type === 'content') return answer
    if (answer.type === 'failure') throw statusError(answer.status)
    url = redirectTarget(url, answer.location)
  }
  const message = isBare
    ? `The page was redirected more than ${maxRedirects} times.`
    : 'The server answered with a redirect, which is not followed because the request would be sent to it again.'
  throw new WebAccessError('too-many-redirects', message)
}

type HopAnswer = (GuardedResponse & { readonly type: 'content' }) | Exclude<HttpAnswer, { type: 'content' }>

/** Every hop comes through here, so a redirect is checked like the first URL. */
async function askOnce(text: string, options: GuardedFetchOptions, signal: AbortSignal): Promise<HopAnswer> {
  const target = checkTarget(text, options.allowHosts ?? [])
  const addresses = await checkedAddresses(target, options, signal)
  const socket = await openSocket({ target, addresses }, options, signal)
  try {
    const { headers = {}, body, maxBytes = 2_000_000 } = options
    const request = { url: target.url, method: body === undefined ? 'GET' : 'POST', headers, body } as const
    const answer = await exchange(socket, request, { maxBytes, signal })
    return answer.type === 'content' ? { ...answer, url: target.url.href } : answer
  } finally {
    socket.destroy()
  }
}

function redirectTarget(from: string, location: string): string {
  const url = URL.parse(location, from)
  if (url === null)
    throw new WebAccessError('invalid-url', 'The page redirects to something that is not a URL.')
  // What began protected must not silently become readable and changeable on the way. Whoever accepts that can ask
  // for the http URL itself.
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
  return new WebAccessError('http-status', `The server answered with status ${status}.`, status)
}

// Only the code of a system error is shown: its message names the address.
function asWebAccessError(error: unknown): WebAccessError {
  if (error instanceof WebAccessError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const shown = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : ''
  return new WebAccessError('network', `The connection to the server failed${shown}.`)
}
