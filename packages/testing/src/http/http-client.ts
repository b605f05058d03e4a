import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { type Arrival, type RecordedEvent, SseRecorder } from '@throughline/protocol/history'
import type { FailedRequest } from '../proxies/many-clients.ts'

/** A response, or `broken` when the connection ended before the whole response was there. */
export type Reply =
  | { readonly type: 'response'; readonly status: number; readonly body: string }
  | { readonly type: 'broken' }

/** A request that has a connection, and is about to be sent. */
export interface ConnectedRequest {
  /** The port on this side. */
  readonly port: number
  readonly method: string
  readonly path: string
  readonly body: string
}

export interface HttpClientOptions {
  /** A response that takes longer counts as broken. By default the client waits. */
  readonly timeoutMs?: number
  /** Is told each request that broke or was cut, or whose response has the status 500 or more. */
  readonly onFailure?: ((failure: FailedRequest) => void) | undefined
  /** Is told each request before it is sent. Then every request gets a connection of its own. */
  readonly onConnect?: (request: ConnectedRequest) => void
}

/** What ended a stream, seen by the viewer. */
export type StreamEnd = 'ended' | 'broken' | 'left' | 'silent' | 'refused'

/** What a viewer got. */
export interface Following {
  /** The body so far, in latin1: one character is one byte. */
  readonly bytes: string
  readonly arrivals: readonly Arrival[]
  readonly events: readonly RecordedEvent[]
  readonly end: StreamEnd
  /** The status of the response; `undefined` when there was none. */
  readonly status: number | undefined
}

export interface FollowingOptions {
  /** Asked whenever something has come. The viewer leaves when it returns true. */
  readonly isEnough?: (seen: SseRecorder) => boolean
  /** The viewer leaves after this many milliseconds without a byte. By default it waits. */
  readonly maxSilenceMs?: number
  /** Is told each piece that comes, in latin1. */
  readonly onPiece?: (piece: string) => void
  /** Lets the viewer leave. */
  readonly signal?: AbortSignal
}

type Headers = Readonly<Record<string, string>>

/** Sends requests with JSON over connections that stay open, and follows streams. Nothing is sent twice. */
export class HttpClient implements Disposable {
  readonly #agent: Agent
  readonly #url: string
  readonly #options: HttpClientOptions

  constructor(url: string, options: HttpClientOptions = {}) {
    this.#agent = url.startsWith('https:')
      ? new SecureAgent({ keepAlive: true })
      : new Agent({ keepAlive: true })
    this.#url = url
    this.#options = options
  }

  get(path: string): Promise<Reply> {
    return this.send('GET', path)
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.send('POST', path, body)
  }

  delete(path: string): Promise<Reply> {
    return this.send('DELETE', path)
  }

  send(method: string, path: string, value?: unknown, headers: Headers = {}): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>()
    const { timeoutMs, onFailure } = this.#options
    const body = value === undefined ? '' : JSON.stringify(value)
    const began = performance.now()
    let status: number | undefined
    let isOver = false
    const settle = (reply: Reply, failure?: Pick<FailedRequest, 'hasRetryAfter' | 'detail'>) => {
      if (failure !== undefined && !isOver)
        onFailure?.({ request: `${method} ${path}`, status, ms: performance.now() - began, ...failure })
      isOver = true
      resolve(reply)
    }
    const breakOff = (error?: Error) =>
      settle({ type: 'broken' }, { hasRetryAfter: false, detail: `The connection broke: ${error?.message}` })
    const all = {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }
    const sent = this.#open({ method, path, body, headers: all, agent: this.#agent }, response => {
      status = response.statusCode ?? 0
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece))
      response.on('error', breakOff)
      response.on('close', () => breakOff())
      response.on('end', () => settle(...replyFrom(response, Buffer.concat(pieces).toString())))
    })
    sent.on('error', breakOff)
    if (timeoutMs !== undefined) sent.setTimeout(timeoutMs, () => sent.destroy())
    return promise
  }

  /** Opens a stream on a connection of its own, and reads it until it ends, breaks, is silent or has enough. */
  follow(path: string, options: FollowingOptions = {}): Promise<Following> {
    const { isEnough = () => false, maxSilenceMs, onPiece, signal } = options
    const { promise, resolve } = Promise.withResolvers<Following>()
    const seen = new SseRecorder()
    let status: number | undefined
    const sent = this.#open({ method: 'GET', path, body: '', headers: {}, agent: false }, response => {
      status = response.statusCode
      if (response.statusCode !== 200) return leave('refused')
      response.setEncoding('latin1')
      response.on('data', (piece: string) => {
        seen.push(piece)
        onPiece?.(piece)
        if (isEnough(seen)) leave('left')
      })
      response.on('end', () => leave('ended'))
      response.on('error', () => leave('broken'))
      response.on('close', () => leave('broken'))
    })
    function leave(end: StreamEnd): void {
      const { bytes, arrivals, events } = seen
      resolve({ bytes, arrivals, events, end, status })
      sent.destroy()
    }
    sent.on('error', () => leave('broken'))
    signal?.addEventListener('abort', () => leave('left'), { once: true })
    if (maxSilenceMs !== undefined) sent.setTimeout(maxSilenceMs, () => leave('silent'))
    return promise
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  #open(
    { method, path, body, headers, agent }: Opened,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const { onConnect } = this.#options
    const options = { method, headers, agent: onConnect === undefined ? agent : false }
    const sent = openRequest(`${this.#url}${path}`, options, onResponse)
    if (onConnect === undefined) return sent.end(body)
    return sent.once('socket', socket =>
      socket.once('connect', () => {
        onConnect({ port: socket.localPort ?? 0, method, path, body })
        sent.end(body)
      }),
    )
  }
}

interface Opened extends Pick<ConnectedRequest, 'method' | 'path' | 'body'> {
  readonly headers: Headers
  /** `false`: the request gets a connection of its own. */
  readonly agent: Agent | false
}

/** With HTTPS the request goes to a proxy on this machine that serves chat.example, with a certificate that nobody knows. */
function openRequest(
  url: string,
  options: RequestOptions,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  if (!url.startsWith('https:')) return request(url, options, onResponse)
  const headers = { ...options.headers, host: 'chat.example' }
  const proxied = { ...options, headers, servername: 'chat.example', rejectUnauthorized: false }
  return secureRequest(url, proxied, onResponse)
}

function replyFrom(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: string,
): [Reply, Pick<FailedRequest, 'hasRetryAfter' | 'detail'>?] {
  const failure = { hasRetryAfter: headers['retry-after'] !== undefined, detail: body.slice(-300) }
  // Caddy 2.6 ends a response that its server has cut as if it was whole. What waits has only blank lines then.
  if (status === 202 && body.trim() === '') return [{ type: 'broken' }, failure]
  const reply: Reply = { type: 'response', status, body }
  return status < 500 ? [reply] : [reply, failure]
}
