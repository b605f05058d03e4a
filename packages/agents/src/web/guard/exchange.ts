import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { decompress } from './decompress.ts'
import { WebAccessError } from './web-access-error.ts'

/** What `exchange` sends. */
export type HttpRequest = {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** What the server sent back. Only a response with a 2xx status has its body read. */
export type HttpResponse =
  | { readonly type: 'content'; readonly contentType: string | undefined; readonly body: Buffer }
  | { readonly type: 'redirect'; readonly location: string }
  | { readonly type: 'failure'; readonly status: number }

/** `maxBytes` holds for the body as it arrives, and again after it is decompressed. */
export type ExchangeLimits = { readonly maxBytes: number; readonly signal: AbortSignal }

/**
 * Sends one request over a socket and returns the response. The socket must be used for nothing else. Throws a
 * `WebAccessError` for a body that is too large or cannot be decompressed. Connection errors are thrown as they are.
 */
export async function exchange(
  socket: Socket,
  request: HttpRequest,
  { maxBytes, signal }: ExchangeLimits,
): Promise<HttpResponse> {
  const response = await send(socket, request, signal)
  const { statusCode: status = 0, headers } = response
  if (redirectStatuses.has(status) && headers.location !== undefined) {
    // Node decodes headers as Latin-1. Servers that do not escape their URLs send UTF-8.
    return { type: 'redirect', location: Buffer.from(headers.location, 'latin1').toString('utf8') }
  }
  if (status < 200 || status > 299) return { type: 'failure', status }
  const raw = await readResponseBody(response, maxBytes)
  const body = await decompress(raw, { encoding: headers['content-encoding'], maxBytes })
  return { type: 'content', contentType: headers['content-type'], body }
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

// There are no cookies and no referrer.
const usualHeaders = {
  'user-agent': 'Throughline (web fetch)',
  accept: 'text/html, application/xhtml+xml, text/plain, application/json, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  connection: 'close',
} as const

/** Sends one request over a socket. Resolves when the head of the response is there. */
export function send(socket: Socket, request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body } = request
  const headers = { host: url.host, ...usualHeaders, ...request.headers }
  return new Promise((resolve, reject) => {
    const path = url.pathname + url.search
    // With `createConnection`, Node uses no HTTP agent. An agent may use a proxy or reuse an open connection.
    const sent = httpRequest({ createConnection: () => socket, method, path, headers, signal })
    sent.once('response', resolve)
    sent.on('error', reject)
    // When a server switches protocols, the request closes without a response and without an error.
    sent.once('close', () => reject(new WebAccessError('network', 'The server closed the connection.')))
    sent.end(body)
  })
}

/** Reads the body as it arrives. Throws a `WebAccessError` when it is larger than `maxBytes`. */
export async function readResponseBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = new WebAccessError('too-large', `The page is larger than ${maxBytes} bytes.`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response) {
    if (!(chunk instanceof Uint8Array)) continue
    size += chunk.length
    if (size > maxBytes) throw tooLarge
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}
