import { checkTarget } from './check-target.ts'
import { type AddressOptions, checkedAddresses } from './checked-addresses.ts'
import { startDeadline } from './deadline.ts'
import { decompress } from './decompress.ts'
import { type HttpRequest, readBody, send } from './exchange.ts'
import { openSocket, type SocketOptions } from './open-socket.ts'

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
    const raw = await readBody(received, maxBytes)
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
