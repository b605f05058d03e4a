// A server that is tortured, in a process of its own: the product's server with the product's store, in a folder on
// disk. It loads everything, and then waits until it is told what to open. So a new one is there at once when the last one
// was killed.

import { flushCompileCache } from 'node:module'
import { BroadcastChannel } from 'node:worker_threads'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { modelAgent } from '@throughline/agents/ai-sdk/model-agent'
import { startServer } from '@throughline/server/start-server'
import { openPostgresStore } from '@throughline/store/open-postgres-store'
import { openStore } from '@throughline/store/open-store'
import { pino } from 'pino'
import { diskChannel } from './disk-state.ts'
import { dyingStore } from './dying-store.ts'
import { failPointFromEnv, setFailPoint } from './fail-point.ts'
import { nodeAgents } from './node-agents.ts'
import { isServerRequest, type NodeSettings, type OpenRequest, type ServerReport } from './server-messages.ts'
import { torturedAgents } from './tortured-agents.ts'

const disk = new BroadcastChannel(diskChannel)
disk.unref()

const settings = {
  logger: pino({ level: process.env['TORTURE_LOG'] ?? 'silent' }),
  heartbeatMs: 1_000,
  port: 0,
}

process.on('message', request => {
  if (!isServerRequest(request)) return
  if (request.type === 'disk') return disk.postMessage(request.state)
  open(request).then(report, error => {
    report({
      type: 'refused',
      name: nameOf(error),
      message: error instanceof Error ? error.message : String(error),
    })
    process.exit(1)
  })
})
// The torture has ended. So does its server.
process.on('disconnect', () => process.exit())

async function open({ node, ...request }: OpenRequest): Promise<ServerReport> {
  return node === undefined ? openAlone(request) : openNode(node)
}

/** One of several nodes on a database. Its runs go on elsewhere when it dies. */
async function openNode({ databaseUrl, effectsFile }: NodeSettings): Promise<ServerReport> {
  const { url } = await startServer({
    ...nodeAgents(effectsFile),
    store: await openPostgresStore(databaseUrl),
    ...settings,
  })
  return { type: 'open', url }
}

async function openAlone(request: Omit<OpenRequest, 'node'>): Promise<ServerReport> {
  const { folder, failPoint, providerUrl, keepsCode } = request
  if (failPoint !== undefined) setFailPoint(failPoint)
  const reach = failPointFromEnv()
  const store = await openStore(folder)
  const options = torturedAgents()
  const { url } = await startServer({
    ...options,
    agents: [...options.agents, ...providerAgents(providerUrl)],
    // The checks expect that every run has ended when the server is there again.
    continue: false,
    store: failPoint === undefined ? store : dyingStore(store, reach),
    ...settings,
  })
  if (keepsCode) flushCompileCache()
  return { type: 'open', url }
}

function providerAgents(baseURL: string | undefined) {
  if (baseURL === undefined) return []
  const provider = createOpenAICompatible({ name: 'numbered', baseURL, apiKey: 'not-a-key' })
  return [
    modelAgent({
      name: 'model',
      displayName: 'Model',
      model: provider.chatModel('numbered'),
      maxSilenceMs: 300,
    }),
  ]
}

function nameOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? ` ${error.code}` : ''
  return `${error instanceof Error ? error.name : typeof error}${code}`
}

function report(message: ServerReport): void {
  process.send?.(message)
}
