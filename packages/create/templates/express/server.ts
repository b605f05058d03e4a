import { existsSync } from 'node:fs'
import { build } from 'esbuild'
import express from 'express'
import { createThroughline } from 'throughline'
import config from './throughline.config.ts'

if (existsSync('.env')) process.loadEnvFile()

const throughline = await createThroughline({ ...config, basePath: '/ai', page: false })
const app = express()

// Everything below /ai is Throughline's: messages, streams, approvals, files. Put it before body parsers.
app.use(throughline.handle)

// The page. Its script is TypeScript: esbuild makes one file of it in some milliseconds, whenever it is asked for.
app.use(express.static('page', { extensions: ['html'] }))
app.get('/main.js', async (_, response) => {
  const { outputFiles } = await build({
    entryPoints: ['page/main.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  response.type('js').send(outputFiles[0]?.text)
})

const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, process.env.HOST ?? '127.0.0.1', error => {
  if (error) throw error
  console.log(`Open http://localhost:${port}`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, close)

/** Takes no new connections, lets the answers that are being written end, then closes what is still open. */
async function close(): Promise<void> {
  await throughline.drain()
  server.close()
  await throughline.close()
  server.closeAllConnections()
}
