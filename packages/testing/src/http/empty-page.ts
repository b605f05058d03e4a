import { once } from 'node:events'
import { createServer } from 'node:http'

export interface EmptyPage extends AsyncDisposable {
  /** The page's origin, with the name `localhost`. The server under test has another name, and another port. */
  readonly origin: string
}

/** Serves an empty page on a port of its own. A test runs its code there, as the page of an application would. */
export async function startEmptyPage(): Promise<EmptyPage> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Another page</title>')
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The page has no port.')
  return {
    origin: `http://localhost:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
