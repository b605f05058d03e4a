import express from 'express'
import fastify from 'fastify'
import { hostSuite } from '../../packages/server/test/embed/host-suite.ts'
import { embedded, listening } from '../../packages/server/test/embed/start-host.ts'

hostSuite(
  'Express 5',
  embedded(async throughline => {
    const app = express()
    app.use(throughline.handle)
    app.get('/', (_, response) => void response.end('own page'))
    return listening(app.listen(0, '127.0.0.1'))
  }),
)

hostSuite(
  'Express 5, mounted after a body parser',
  embedded(async throughline => {
    const app = express()
    app.use(express.json())
    app.use('/ai', throughline.handle)
    app.get('/', (_, response) => void response.end('own page'))
    return listening(app.listen(0, '127.0.0.1'))
  }),
)

hostSuite(
  'Fastify 5',
  embedded(async throughline => {
    const app = fastify()
    app.addHook('onRequest', (request, reply, next) => throughline.handle(request.raw, reply.raw, next))
    app.get('/', () => 'own page')
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, server: app.server }
  }),
)
