import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Where the processes of the tests ask the process that runs the test command. */
export interface Locator {
  readonly url: string
  /** Stops the server. Resolves when nothing is being made any more. */
  close(): Promise<void>
}

/** Serves a value as JSON. It is made at the first request, so commands whose tests do not ask for it do not pay. */
export async function serveOnDemand(make: () => Promise<unknown>): Promise<Locator> {
  let made: Promise<unknown> | undefined
  // A secret path: the value may contain a password.
  const path = `/${randomUUID()}`
  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end()
      return
    }
    made ??= make()
    made.then(
      value => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The locator has no port.')
  return {
    url: `http://127.0.0.1:${address.port}${path}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await made?.catch(() => undefined)
    },
  }
}

/** Asks for the value. Throws what its maker has thrown. */
export async function askLocator(url: string): Promise<unknown> {
  const response = await fetch(url)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}
