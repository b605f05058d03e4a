// A server that is tortured, in a process of its own: the product's server with the product's store, in a folder on
// disk. It loads everything, and then waits until it is told what to open. So a new one is there at once when the last one
// was killed.

import { flushCompileCache } from 'node:module'
import { BroadcastChannel } from 'node:worker_threads'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { modelAgent } from '@throughline/agents'
import { startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { openPostgresStore, type Store } from '@throughline/store/testing'
import { hookChannels } from '@throughline/testing/channels/channel-server'
import { pino } from 'pino'
import { diskChannel } from './disk-state.ts'
import { dyingStore } from './dying-store.ts'
import { failPointFromEnv, setFailPoint } from './fail-point.ts'
import { nodeAgents } from './node-agents.ts'
import { isServerRequest, type NodeSettings, type OpenRequest, type ServerReport } from './server-messages.ts'
import { torturedAgents } from './tortured-agents.ts'
import { setClockWrongBy } from './wrong-clock.ts'

const disk = new BroadcastChannel(diskChannel)
disk.unref()

const settings = {
  logger: pino({ level: process.env['TORTURE_LOG'] ?? 'silent' }, pino.destination(2)),
  heartbeatMs: 1_000,
  port: 0,
}

/** Several blocks per answer. */
const delivery = { minChars: 40, maxChars: 90, idleMs: 200 }

process.on('message', request => {
  if (!isServerRequest(request)) return
  if (request.type === 'disk') return disk.postMessage(request.state)
  if (request.type === 'clock') return setClockWrongBy(request.skewMs)
  if (request.type === 'back-up') return void backUp(request.target).then(report, refuse)
  open(request).then(report, error => {
    refuse(error)
    process.exit(1)
  })
})
// The torture has ended. So does its server.
process.on('disconnect', () => process.exit())

/** What a backup is made of: the store of a node on SQLite. */
let backedUp: Store['backup']

async function backUp(target: string): Promise<ServerReport> {
  if (backedUp === undefined) throw new Error('This store makes no backups.')
  await backedUp(target)
  return { type: 'backed-up' }
}

async function open({ node, ...request }: OpenRequest): Promise<ServerReport> {
  return node === undefined ? openAlone(request) : openNode(node)
}

/** One of several nodes on a database. Its runs go on elsewhere, or in the next process, when it dies. */
async function openNode(settingsOfNode: NodeSettings): Promise<ServerReport> {
  const { effectsFile, hookUrl, skewMs, port } = settingsOfNode
  if (skewMs !== undefined) setClockWrongBy(skewMs)
  const store = await storeOf(settingsOfNode)
  backedUp = store.backup
  const server = await startServer({
    ...nodeAgents(effectsFile),
    ...(hookUrl === undefined ? {} : { channels: hookChannels(hookUrl, delivery) }),
    store,
    ...settings,
    // The name under which a proxy before the nodes serves them.
    hosts: ['chat.example'],
    port,
  })
  process.once('SIGTERM', async () => {
    await server.close()
    await store.close()
    process.exit()
  })
  return { type: 'open', url: server.url }
}

function storeOf({ store }: NodeSettings): Promise<Store> {
  return store.type === 'postgres' ? openPostgresStore(store.url) : openStore(store.folder)
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

function refuse(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  report({ type: 'refused', name: nameOf(error), message })
}

function report(message: ServerReport): void {
  process.send?.(message)
}
