import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export interface EchoingProvider extends AsyncDisposable {
  readonly url: string
  /** How many requests have arrived so far. */
  readonly requests: () => number
}

/**
 * Starts a model provider that refuses every request. Its error repeats what it was sent: the key, the headers and the
 * whole request. It allows retries at once, so that a test does not wait for them.
 */
export async function startEchoingProvider(status: number): Promise<EchoingProvider> {
  let requests = 0
  const server = createServer(async (request, response) => {
    requests += 1
    const body = await text(request)
    const key = request.headers.authorization ?? ''
    const message = `Refused: ${key}. You sent ${body}`
    const error = { message, type: 'invalid_request_error', code: 'refused_by_test', param: body, key }
    const headers = { 'content-type': 'application/json', 'retry-after-ms': '1', 'x-echo': key }
    response.writeHead(status, headers).end(JSON.stringify({ error }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
