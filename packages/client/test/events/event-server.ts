import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

// Test only: the event API of another server.

interface EventRequest {
  readonly url: string
  readonly body: unknown
}

export interface EventServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly EventRequest[]
}

/** Writes the response to a query. The test decides what it writes, and whether it ends it. */
export type WriteEvents = (response: ServerResponse) => Promise<void>

/** A server on a free port. A stream is closed when it is written. */
export async function startEventServer(write: WriteEvents): Promise<EventServer> {
  const requests: EventRequest[] = []
  const server = createServer((request, response) => {
    const answer = async () => {
      requests.push({ url: request.url ?? '', body: await bodyOf(request) })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      await write(response)
      response.end()
    }
    answer().catch(error => response.destroy(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return JSON.parse(await text(request))
}
