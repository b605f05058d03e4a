import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Store } from '@throughline/store/testing'
import { defaultAgents } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { createThroughline, type Throughline } from '../../src/create-throughline.ts'
import type { ThroughlineOptions } from '../../src/throughline-options.ts'

/** Throughline below `/ai` in a server of some kind. */
export interface Host extends AsyncDisposable {
  /** Where Throughline is. */
  readonly url: string
  /** Where the server of the application is. */
  readonly origin: string
  readonly store: Store
}

export interface HostOptions extends Partial<Omit<ThroughlineOptions, 'store'>> {
  readonly wrapStore?: (store: Store) => Store
}

/** Starts a server with Throughline in it. Returns the server's address and how to end it. */
export type Serve = (
  options: ThroughlineOptions,
) => Promise<{ readonly origin: string; end(): Promise<void> }>

interface Closable {
  close(): unknown
  closeAllConnections?(): void
}

/** Starts a host, with a real database in its own folder. */
export async function startHost(
  serve: Serve,
  { wrapStore = store => store, ...options }: HostOptions = {},
): Promise<Host> {
  const opened = await temporaryStore()
  const { origin, end } = await serve({
    agents: defaultAgents(),
    logger: pino({ level: 'silent' }),
    basePath: '/ai',
    ...options,
    store: wrapStore(opened.store),
  })
  return {
    origin,
    url: `${origin}/ai`,
    store: opened.store,
    async [Symbol.asyncDispose]() {
      await end()
      await opened[Symbol.asyncDispose]()
    },
  }
}

/** Returns a `Serve` for an application that makes its own server and gives Throughline its requests. */
export function embedded(
  serveIt: (throughline: Throughline) => Promise<{ readonly origin: string; readonly server: Closable }>,
): Serve {
  return async options => {
    const throughline = await createThroughline(options)
    const { origin, server } = await serveIt(throughline)
    return {
      origin,
      async end() {
        await throughline.close()
        server.close()
        server.closeAllConnections?.()
      },
    }
  }
}

/** Waits until the server listens. Returns it with its address. */
export async function listening(
  server: Server,
): Promise<{ readonly origin: string; readonly server: Server }> {
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { origin: `http://127.0.0.1:${port}`, server }
}
