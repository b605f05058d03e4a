import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { serve } from '@hono/node-server'
import type { Store } from '@throughline/store/open-store'
import { defaultAgents } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { pino } from 'pino'
import { createThroughline, type Throughline } from '../../src/create-throughline.ts'
import { startServer } from '../../src/start-server.ts'
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

/** Serves Throughline, or begins to. Returns the server's address and how to end it. */
type Start = (options: ThroughlineOptions) => Promise<{ origin: string; end: () => Promise<void> }>

const starts: Readonly<Record<string, Start>> = {
  async startServer(options) {
    const server = await startServer({ ...options, port: 0 })
    return { origin: server.url, end: () => server.close() }
  },
  'node:http': embedded(async throughline => {
    const server = createServer((request, response) =>
      throughline.handle(request, response, () => response.end('own page')),
    )
    return listening(server.listen(0, '127.0.0.1'))
  }),
  'Express 5': embedded(async throughline => {
    const app = express()
    app.use(throughline.handle)
    app.get('/', (_, response) => void response.end('own page'))
    return listening(app.listen(0, '127.0.0.1'))
  }),
  'Express 5, mounted after a body parser': embedded(async throughline => {
    const app = express()
    app.use(express.json())
    app.use('/ai', throughline.handle)
    app.get('/', (_, response) => void response.end('own page'))
    return listening(app.listen(0, '127.0.0.1'))
  }),
  'Fastify 5': embedded(async throughline => {
    const app = fastify()
    app.addHook('onRequest', (request, reply, next) => throughline.handle(request.raw, reply.raw, next))
    app.get('/', () => 'own page')
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, server: app.server }
  }),
  Hono: embedded(async throughline => {
    const app = new Hono()
    app.all('/ai/*', context => throughline.fetch(context.req.raw))
    app.get('/', context => context.text('own page'))
    const { promise, resolve } = Promise.withResolvers<number>()
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
    return { origin: `http://127.0.0.1:${await promise}`, server }
  }),
}

export const hostNames = Object.keys(starts)

/** Starts one of the hosts, with a real database in its own folder. */
export async function startHost(
  name: string,
  { wrapStore = store => store, ...options }: HostOptions = {},
): Promise<Host> {
  const start = starts[name]
  if (start === undefined) throw new RangeError(`There is no host "${name}".`)
  const opened = await temporaryStore()
  const { origin, end } = await start({
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

interface Closable {
  close(): unknown
  closeAllConnections?(): void
}

/** Makes a start of an application that serves Throughline itself. */
function embedded(
  serveIt: (throughline: Throughline) => Promise<{ origin: string; server: Closable }>,
): Start {
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

async function listening(server: Server): Promise<{ origin: string; server: Server }> {
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { origin: `http://127.0.0.1:${port}`, server }
}
