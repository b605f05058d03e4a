import { connect, type IncomingHttpHeaders } from 'node:http2'

/** The response to one request, as far as it has come. */
export interface Http2Response {
  readonly status: number
  /** Yields the body as it arrives. */
  readonly body: AsyncIterable<string>
  text(): Promise<string>
}

/** A client that speaks HTTP/2 to a proxy for chat.example at this port, over one connection. */
export interface Http2Client extends Disposable {
  get(path: string): Promise<Http2Response>
  post(path: string, body: unknown): Promise<Http2Response>
}

export function http2Client(port: number): Http2Client {
  const session = connect(`https://127.0.0.1:${port}`, {
    servername: 'chat.example',
    rejectUnauthorized: false,
  })
  // Each request rejects by itself.
  session.on('error', () => undefined)

  function send(headers: Readonly<Record<string, string>>, body?: string): Promise<Http2Response> {
    const stream = session.request({ ':authority': 'chat.example', ...headers })
    stream.setEncoding('utf8')
    stream.end(body)
    const { promise, resolve, reject } = Promise.withResolvers<Http2Response>()
    stream.on('error', reject)
    stream.on('response', (response: IncomingHttpHeaders & { ':status'?: number }) =>
      resolve({
        status: response[':status'] ?? 0,
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
    [Symbol.dispose]: () => session.destroy(),
  }
}
