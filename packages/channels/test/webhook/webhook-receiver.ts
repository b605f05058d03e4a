import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly path: string
  readonly body: Buffer
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
}

/** A program on a free port that receives posts. The test says how it responds. */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => unknown = response => response.end(),
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { headers, url = '' } = request
    const one = { headers, path: url, body: await buffer(request) }
    received.push(one)
    answer(response, one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port.')
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
