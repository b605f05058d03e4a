import { rm } from 'node:fs/promises'
import { type Agent, MasterAgent, modelAgent } from '@throughline/agents'
import { ModelThread, modelFromEnv } from '@throughline/agents/internal'
import { isChatId, isOwnerId } from '@throughline/protocol'
import { startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { streamTextEvents } from '@throughline/testing/agent/stream-text-events'
import { idOf } from '@throughline/testing/log/id-of'
import { saveHistory } from '@throughline/testing/store/save-history'
import { pino } from 'pino'
import { z } from 'zod'
import { serveBench } from '../../child.ts'
import { makeDataFolder } from './data-folder.ts'
import { planAgent } from './plan-agent.ts'
import { probeHandlers } from './probe.ts'

// The whole server as it is deployed: runs, a durable log on disk with fsync, saved messages, HTTP.
const folder = await makeDataFolder()
// For comparisons: how long appends wait for each other while the log is busy.
const { COMMIT_WAIT_MS } = process.env
const store = await openStore(
  folder,
  COMMIT_WAIT_MS === undefined ? {} : { commitWaitMs: Number(COMMIT_WAIT_MS) },
)
const agents = [agentFor(process.argv[2], process.argv[3])]
const server = await startServer({ store, agents, logger: pino({ level: 'error' }), port: 0 })

const filledChat = z.object({ chatId: z.string(), count: z.number(), chars: z.number().optional() })

serveBench(server.url, {
  ...probeHandlers(),
  /** Saves a chat with many messages, as if it had always been there. */
  async fillChat(parameters) {
    const { chatId, ...size } = filledChat.parse(parameters)
    await saveHistory(store, { ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, chatId), ...size })
  },
  async close() {
    await server.close()
    await store.close()
    await rm(folder, { recursive: true })
  },
})

/** Without a provider, the agent writes its answers itself. With one, a model of this provider writes them. */
function agentFor(providerUrl: string | undefined, way: string = 'thread'): Agent {
  if (providerUrl === undefined) return planAgent
  const env = {
    THROUGHLINE_MODEL: 'openai-compatible:load',
    OPENAI_COMPATIBLE_BASE_URL: `${providerUrl}/v1`,
  }
  // The server is deployed with a thread for the models. The other ways are for comparisons.
  const { model } = modelFromEnv(env, way === 'thread' ? new ModelThread(env) : undefined)
  if (way !== 'streamText') return new MasterAgent({ model, toolKeys: [], allowedSubAgents: [] })
  const run: Agent['run'] = request => streamTextEvents({ model, tools: {} }, request)
  return { ...modelAgent({ name: 'load', model }), run }
}
