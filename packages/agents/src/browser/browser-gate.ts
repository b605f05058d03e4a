import { timingSafeEqual } from 'node:crypto'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { randomHex } from '@throughline/protocol'
import { checkTarget, type Target } from '../web/guard/check-target.ts'
import { type AddressOptions, checkedAddresses } from '../web/guard/checked-addresses.ts'
import { startDeadline } from '../web/guard/deadline.ts'
import { openSocket, type SocketOptions } from '../web/guard/open-socket.ts'
import { WebAccessError } from '../web/guard/web-access-error.ts'

/** What the pages of a browser may reach. */
export type BrowserGateOptions = AddressOptions &
  SocketOptions & {
    readonly allowHosts?: readonly string[] | undefined
    /** How much all pages of a run may load together, in bytes. */
    readonly maxBytes?: number | undefined
  }

const connectTimeoutMs = 15_000

/**
 * The only way from a browser to the network: a proxy on this machine. It looks up names itself, checks the addresses, and
 * connects to an address that it has checked. A browser with a proxy opens no connection of its own, so documents,
 * subresources, redirects, workers and WebSockets all come through here.
 */
export class BrowserGate {
  readonly #options: BrowserGateOptions
  readonly #closing = new AbortController()
  readonly #full = new AbortController()
  readonly #sockets = new Set<Duplex>()
  readonly #refusals = new Map<string, WebAccessError>()
  readonly #password = randomHex(16)
  readonly #server = createServer()
  #bytes = 0

  constructor(options: BrowserGateOptions) {
    this.#options = options
    this.#server.on('connection', socket => this.#track(socket))
    this.#server.on('request', (request, response) => this.#onRequest(request, response))
    this.#server.on('connect', (request, client, head) => this.#onConnect(request, client, head))
    this.#server.on('clientError', (_, socket) => socket.destroy())
  }

  /** Starts to listen. Resolves to the proxy settings for the browser. The password keeps other programs out. */
  async open(): Promise<{ readonly server: string; readonly username: string; readonly password: string }> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    const address = this.#server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return { server: `http://127.0.0.1:${port}`, username: 'gate', password: this.#password }
  }

  /** Returns why the last attempt to reach the host of a URL failed; `undefined` when it did not. */
  refusalOf(url: string): WebAccessError | undefined {
    return url === '' ? undefined : this.#refusals.get(hostAndPort(url))
  }

  /** Aborts when the run has loaded more than it may. Its reason is the error. */
  get full(): AbortSignal {
    return this.#full.signal
  }

  /** Closes all connections at once. */
  close(): void {
    this.#closing.abort()
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isKnown(request)) {
      response.writeHead(407, { 'proxy-authenticate': challenge, 'content-length': 0 }).end()
      return
    }
    try {
      const url = request.url ?? ''
      const target = await this.#checked(url, () => checkTarget(url, this.#options.allowHosts ?? []))
      this.#forward(request, response, target)
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      response
        .writeHead(403, { 'content-type': 'text/plain; charset=utf-8' })
        .end(asWebAccessError(error).message)
    }
  }

  #forward(request: IncomingMessage, response: ServerResponse, { target, socket }: Connection): void {
    const upstream = httpRequest({
      createConnection: () => socket,
      method: request.method,
      path: target.url.pathname + target.url.search,
      headers: [...endToEndHeaders(request.rawHeaders), 'connection', 'close'],
      setHost: false,
    })
    upstream.once('response', received => {
      received.on('data', piece => this.#count(piece))
      try {
        response.writeHead(received.statusCode ?? 502, endToEndHeaders(received.rawHeaders))
        pipeline(received, response, () => socket.destroy())
      } catch {
        // The status or a header cannot be passed on.
        socket.destroy()
        response.destroy()
      }
    })
    // The browser sees the error as the end of its own connection.
    upstream.on('error', () => response.destroy())
    response.once('close', () => socket.destroy())
    pipeline(request, upstream, () => undefined)
  }

  async #onConnect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy())
    if (!this.#isKnown(request)) {
      client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${challenge}\r\n${noBody}`,
      )
      return
    }
    try {
      const url = tunnelUrl(request.url ?? '')
      const { socket } = await this.#checked(url, () => tunnelTarget(url, this.#options.allowHosts ?? []))
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      socket.write(head)
      socket.on('data', piece => this.#count(piece))
      pipeline(client, socket, client, () => undefined)
    } catch {
      client.end(`HTTP/1.1 403 Forbidden\r\n${noBody}`)
    }
  }

  /** Connects to a target after checking it. Every connection of the browser is made here. */
  async #checked(url: string, targetOf: () => Target): Promise<Connection> {
    const host = hostAndPort(url)
    try {
      using deadline = startDeadline(connectTimeoutMs, this.#closing.signal)
      const target = targetOf()
      const addresses = await checkedAddresses(target, this.#options, deadline.signal)
      const socket = await openSocket({ target, addresses }, this.#options, deadline.signal)
      this.#track(socket)
      this.#refusals.delete(host)
      return { target, socket }
    } catch (error) {
      if (this.#refusals.size >= maxRefusals) this.#refusals.clear()
      const refusal = asWebAccessError(error)
      this.#refusals.set(host, refusal)
      throw refusal
    }
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(`gate:${this.#password}`).toString('base64')}`)
    const given = Buffer.from(headers['proxy-authorization'] ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#closing.signal.aborted) socket.destroy()
  }

  #count(piece: Uint8Array): void {
    this.#bytes += piece.length
    const { maxBytes = 200_000_000 } = this.#options
    if (this.#bytes <= maxBytes || this.#full.signal.aborted) return
    const message = `The pages of this answer were larger than ${maxBytes} bytes together, so no more are loaded.`
    this.#full.abort(new WebAccessError('too-large', message))
    this.close()
  }
}

interface Connection {
  readonly target: Target
  readonly socket: Socket
}

const challenge = 'Basic realm="Throughline"'
const noBody = 'content-length: 0\r\nconnection: close\r\n\r\n'
const maxRefusals = 1_000

/** A request for a tunnel has only host and port. On port 80 it is for a WebSocket, on other ports most likely for TLS. */
function tunnelUrl(authority: string): string {
  return `${authority.endsWith(':80') ? 'http' : 'https'}://${authority}/`
}

// Inside a tunnel the browser does TLS itself, so our connection is plain TCP.
function tunnelTarget(url: string, allowHosts: readonly string[]): Target {
  const target = checkTarget(url, allowHosts)
  return { ...target, url: new URL(url.replace(/^https:/, 'http:')) }
}

function hostAndPort(text: string): string {
  const url = URL.parse(text.replace(/^ws/, 'http'))
  if (url === null) return ''
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  return `${url.hostname}:${port}`
}

// The message of a system error contains the address.
function asWebAccessError(error: unknown): WebAccessError {
  if (error instanceof WebAccessError) return error
  return new WebAccessError('network', 'The connection to the server failed.')
}

// These headers belong to one connection, and a proxy has two. Node sets the length or the chunking of the body itself.
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // It would make the browser use another protocol, around the proxy.
  'alt-svc',
])

/** Returns the headers that a proxy passes on, as a flat list of names and values. */
function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ''
    return !hopByHop.has(name.toLowerCase())
  })
}
