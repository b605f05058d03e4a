import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { decompress } from './decompress.ts'
import { WebAccessError } from './web-access-error.ts'

export type HttpRequest = {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type HttpAnswer =
  | { readonly type: 'content'; readonly contentType: string | undefined; readonly body: Buffer }
  | { readonly type: 'redirect'; readonly location: string }
  | { readonly type: 'failure'; readonly status: number }

export type ExchangeLimits = { readonly maxBytes: number; readonly signal: AbortSignal }

/** One request and its answer on a socket that is used for nothing else. Bodies are read only of what succeeded. */
export async function exchange(
  socket: Socket,
  request: HttpRequest,
  { maxBytes, signal }: ExchangeLimits,
): Promise<HttpAnswer> {
  const response = await send(socket, request, signal)
  const { statusCode: status = 0, headers } = response
  if (redirects.has(status) && headers.location !== undefined) {
    // Header bytes arrive as Latin-1, but servers that do not escape their URLs mean UTF-8.
    return { type: 'redirect', location: Buffer.from(headers.location, 'latin1').toString('utf8') }
  }
  if (status < 200 || status > 299) return { type: 'failure', status }
  const raw = await readBody(response, maxBytes)
  const body = await decompress(raw, { encoding: headers['content-encoding'], maxBytes })
  return { type: 'content', contentType: headers['content-type'], body }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

// No cookies, no referrer, and no agent: an agent may take a proxy from the environment or reuse a connection.
const usualHeaders = {
  'user-agent': 'Throughline (web fetch)',
  accept: 'text/html, application/xhtml+xml, text/plain, application/json, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  connection: 'close',
} as const

function send(socket: Socket, request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body } = request
  const headers = { host: url.host, ...usualHeaders, ...request.headers }
  return new Promise((resolve, reject) => {
    const path = url.pathname + url.search
    const sent = httpRequest({ createConnection: () => socket, method, path, headers, signal })
    sent.once('response', resolve)
    sent.on('error', reject)
    // A server that switches protocols ends the request without a response and without an error.
    sent.once('close', () => reject(new WebAccessError('network', 'The server closed the connection.')))
    sent.end(body)
  })
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
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
