import { createServer } from 'node:http'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { startServer } from '../../src/start-server.ts'
import { hostSuite } from './host-suite.ts'
import { embedded, listening } from './start-host.ts'

// Express, Fastify and Next run the same tests in integrations/.

hostSuite('startServer', async options => {
  const server = await startServer({ ...options, port: 0 })
  return { origin: server.url, end: () => server.close() }
})

hostSuite(
  'node:http',
  embedded(async throughline => {
    const server = createServer((request, response) =>
      throughline.handle(request, response, () => response.end('own page')),
    )
    return listening(server.listen(0, '127.0.0.1'))
  }),
)

hostSuite(
  'Hono',
  embedded(async throughline => {
    const app = new Hono()
    app.all('/ai/*', context => throughline.fetch(context.req.raw))
    app.get('/', context => context.text('own page'))
    const { promise, resolve } = Promise.withResolvers<number>()
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
    return { origin: `http://127.0.0.1:${await promise}`, server }
  }),
)
