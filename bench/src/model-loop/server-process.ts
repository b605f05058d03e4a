import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '@throughline/agents/agent'
import { modelAgent } from '@throughline/agents/ai-sdk/model-agent'
import { startServer } from '@throughline/server/start-server'
import { openStore } from '@throughline/store/open-store'
import { streamTextEvents } from '@throughline/testing/agent/stream-text-events'
import { models } from '@throughline/testing/provider/converse'
import { pino } from 'pino'
import { serveBench } from '../child.ts'

// The whole server as it is deployed. Its agent asks the provider whose address is the first argument. The second argument
// is `streamText` when every part goes through `streamText`.
const [url = '', way] = process.argv.slice(2)
const model = models['openai-compatible'](url)
const name = 'bench'
const ours = modelAgent({ name, model })
const other: Agent = { ...ours, run: request => streamTextEvents({ model, tools: {} }, request) }

const folder = await mkdtemp(join(tmpdir(), 'throughline-bench-'))
const store = await openStore(folder)
const agents = [way === 'streamText' ? other : ours]
const server = await startServer({ store, agents, logger: pino({ level: 'silent' }), port: 0 })

serveBench(server.url, {
  async close() {
    await server.close()
    await store.close()
    await rm(folder, { recursive: true })
  },
})
