import { isRecord } from '@throughline/protocol'
import { parseJson, shorten } from '@throughline/protocol/internal'
import { durationText } from '../../text/units.ts'
import { SseStream } from './sse-stream.ts'

/** Who sends a request: the owner of the chats, the other user, or somebody without a token. */
type Asker = 'owner' | 'other' | 'nobody'

/** A request, beside its path. */
export interface Asked {
  /** Default: `POST` with a body, otherwise `GET`. */
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Default: `owner`. */
  readonly as?: Asker
  /** How long the response may take, in milliseconds. Default: the patience of the server. */
  readonly withinMs?: number
}

/** A response with its whole body. The body of an event stream is not read: it may never end. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; `undefined` when it is none. */
  readonly body: unknown
}

interface CheckedServerOptions {
  /** The address, without a slash at its end. */
  readonly url: string
  readonly token?: string | undefined
  readonly otherToken?: string | undefined
  /** How long something that the server has already may take to arrive, in milliseconds. */
  readonly patienceMs: number
  /** Ends all requests. */
  readonly signal: AbortSignal
}

/** A log that was followed. */
export interface FollowedLog {
  readonly chatId: string
  readonly after: string
  readonly stream: SseStream
}

/** The server that is checked, with all proxies before it. */
export class CheckedServer {
  /** Every log that was followed so far. */
  readonly followed: FollowedLog[] = []
  readonly #options: CheckedServerOptions

  constructor(options: CheckedServerOptions) {
    this.#options = options
  }

  /** Sends a request, and reads the response. Throws `NoResponse` when none comes in time. */
  async request(path: string, asked: Asked = {}): Promise<Reply> {
    const connection = new AbortController()
    const response = await this.#fetch(path, asked, connection)
    const { status, headers } = response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const text = isStream ? '' : await this.#inTime(response.text(), { path, connection })
    if (isStream) connection.abort()
    return { status, headers, text, body: parseJson(text) }
  }

  /** Opens an event stream. Throws `UnexpectedResponse` when the server refuses, and `NoResponse` as above. */
  async open(path: string, asked: Asked = {}): Promise<SseStream> {
    const connection = new AbortController()
    const response = await this.#fetch(path, asked, connection)
    if (response.status === 200) {
      const stream = new SseStream(response, connection)
      const [, chatId, after] = /^\/api\/chats\/([^/]+)\/log\?after=(.*)$/.exec(path) ?? []
      if (chatId !== undefined && after !== undefined) this.followed.push({ chatId, after, stream })
      return stream
    }
    const text = await this.#inTime(response.text(), { path, connection })
    throw new UnexpectedResponse(path, response.status, text)
  }

  async #fetch(path: string, asked: Asked, connection: AbortController): Promise<Response> {
    const { url, signal } = this.#options
    const { body, method = body === undefined ? 'GET' : 'POST', headers } = asked
    const request = fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.#identity(asked.as ?? 'owner'),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A proxy that redirects would turn a POST into a GET.
      redirect: 'manual',
      signal: AbortSignal.any([connection.signal, signal]),
    })
    return this.#inTime(request, { path, connection, withinMs: asked.withinMs })
  }

  #identity(as: Asker): Readonly<Record<string, string>> {
    const { token, otherToken } = this.#options
    const secret = as === 'owner' ? token : as === 'other' ? otherToken : undefined
    return secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  }

  async #inTime<Value>(value: Promise<Value>, { path, connection, withinMs }: Timed): Promise<Value> {
    const ms = withinMs ?? this.#options.patienceMs
    const late = new NoResponse(path, `nothing came within ${durationText(ms)}`)
    const timer = setTimeout(() => connection.abort(late), ms)
    try {
      return await value
    } catch (error) {
      throw error instanceof NoResponse ? error : new NoResponse(path, causeOf(error))
    } finally {
      clearTimeout(timer)
    }
  }
}

interface Timed {
  readonly path: string
  /** Is aborted when the time is up. */
  readonly connection: AbortController
  readonly withinMs?: number | undefined
}

/** No response came, or not all of it. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  readonly path: string
  readonly why: string

  constructor(path: string, why: string) {
    super(`${path}: ${why}`)
    this.path = path
    this.why = why
  }
}

/** The response is not the one that the check can go on with. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse'
  readonly path: string
  readonly came: string

  constructor(path: string, status: number, text: string) {
    super(`${path}: ${status}`)
    this.path = path
    this.came = describeResponse(status, text)
  }
}

/** Returns a status and a body in a few words. */
export function describeResponse(status: number, text: string): string {
  const body = parseJson(text)
  const said = isRecord(body) ? [body['code'], body['detail']].filter(part => typeof part === 'string') : []
  return shorten([status, ...(said.length > 0 ? said : [text])].join(' ').trim(), 300)
}

/** `fetch` says only that it failed. The reason is in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}

/** What the first request has found: the names of the agents, or why there is nothing to check. */
type Reached =
  | { readonly type: 'reached'; readonly agents: readonly string[] }
  | { readonly type: 'not-reached'; readonly why: string }

/** Finds out whether there is a server that can be checked. */
export async function reachServer(server: CheckedServer): Promise<Reached> {
  try {
    const { status, headers, text, body } = await server.request('/api/agents')
    const agents = isRecord(body) ? body['agents'] : undefined
    if (status === 200 && Array.isArray(agents))
      return {
        type: 'reached',
        agents: agents.flatMap(agent => (isRecord(agent) ? String(agent['name']) : [])),
      }
    const target = headers.get('location')
    if (target !== null) return { type: 'not-reached', why: `it redirects to ${target}. Use that address.` }
    if (status === 401)
      return { type: 'not-reached', why: 'it needs a token. Give it with THROUGHLINE_TOKEN or --token.' }
    if (isRecord(body) && typeof body['code'] === 'string')
      return { type: 'not-reached', why: describeResponse(status, text) }
    return { type: 'not-reached', why: `${status}. This is no Throughline server, or it has a base path.` }
  } catch (error) {
    if (error instanceof NoResponse) return { type: 'not-reached', why: error.why }
    throw error
  }
}
