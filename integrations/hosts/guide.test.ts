import { fileURLToPath } from 'node:url'
import { exampleTest } from '../../packages/server/test/embed/example-test.ts'

const modules = fileURLToPath(new URL('node_modules', import.meta.url))

exampleTest('Express 5', modules)
exampleTest('Fastify 5', modules)
