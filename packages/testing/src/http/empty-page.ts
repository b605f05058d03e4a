import { once } from 'node:events'
import { createServer } from 'node:http'

export interface EmptyPage extends AsyncDisposable {
  readonly origin: string
}

/**
 * Serves an empty page on a port of its own. A test runs its code there, as the page of an application would. The server
 * under test is `127.0.0.1`. A page of this name has its cookies, because cookies do not depend on the port.
 */
export async function startEmptyPage(name: 'localhost' | '127.0.0.1' = 'localhost'): Promise<EmptyPage> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Another page</title>')
  })
  server.listen(0, name)
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The page has no port.')
  return {
    origin: `http://${name}:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
