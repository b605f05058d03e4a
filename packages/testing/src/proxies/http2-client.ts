import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'

/** The response to one request, as far as it has come. */
export interface Http2Response {
  readonly status: number
  readonly hasRetryAfter: boolean
  /** Yields the body as it arrives. */
  readonly body: AsyncIterable<string>
  text(): Promise<string>
}

/** A client that speaks HTTP/2 to a proxy for chat.example at this port. */
export interface Http2Client extends Disposable {
  get(path: string): Promise<Http2Response>
  post(path: string, body: unknown): Promise<Http2Response>
}

/** nginx ends a connection after 1,000 requests. */
const requestsPerConnection = 500

/** All requests are on one connection, until that has had many. */
export function http2Client(port: number): Http2Client {
  const sessions: ClientHttp2Session[] = []
  let sent = 0

  function session(): ClientHttp2Session {
    const open = sessions.at(-1)
    if (open !== undefined && !open.closed && sent % requestsPerConnection !== 0) return open
    // Its responses still come.
    open?.close()
    const next = connect(`https://127.0.0.1:${port}`, {
      servername: 'chat.example',
      rejectUnauthorized: false,
    })
    // Each request rejects by itself.
    next.on('error', () => undefined)
    sessions.push(next)
    return next
  }

  function send(headers: Readonly<Record<string, string>>, body?: string): Promise<Http2Response> {
    const stream = session().request({ ':authority': 'chat.example', ...headers })
    sent += 1
    stream.setEncoding('utf8')
    stream.end(body)
    const { promise, resolve, reject } = Promise.withResolvers<Http2Response>()
    stream.on('error', reject)
    stream.on('response', (response: IncomingHttpHeaders & { ':status'?: number }) =>
      resolve({
        status: response[':status'] ?? 0,
        hasRetryAfter: response['retry-after'] !== undefined,
        body: stream,
        text: async () => (await Array.fromAsync<string>(stream)).join(''),
      }),
    )
    return promise
  }
  return {
    get: path => send({ ':method': 'GET', ':path': path }),
    post: (path, body) =>
      send({ ':method': 'POST', ':path': path, 'content-type': 'application/json' }, JSON.stringify(body)),
    [Symbol.dispose]: () => {
      for (const each of sessions) each.destroy()
    },
  }
}
