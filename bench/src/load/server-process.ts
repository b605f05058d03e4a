import { rm } from 'node:fs/promises'
import type { Agent, AgentRequest } from '@throughline/agents/agent'
import type { AgentEvent } from '@throughline/agents/agent-event'
import { textOf } from '@throughline/protocol/message'
import { startServer } from '@throughline/server/start-server'
import { openStore } from '@throughline/store/open-store'
import { pino } from 'pino'
import { serveBench } from '../child.ts'
import { planIn } from './answer-plan.ts'
import { makeDataFolder } from './data-folder.ts'
import { dueDeltas } from './due-deltas.ts'
import { probeHandlers } from './probe.ts'

// The whole server as it is deployed: runs, a durable log on disk with fsync, saved messages, HTTP.
const folder = await makeDataFolder()
const store = await openStore(folder)
const agent: Agent = { name: 'plan', displayName: 'Plan', run: play }
const server = await startServer({ store, agents: [agent], logger: pino({ level: 'error' }), port: 0 })

serveBench(server.url, {
  ...probeHandlers(),
  async close() {
    await server.close()
    await store.close()
    await rm(folder, { recursive: true })
  },
})

async function* play({ messages }: AgentRequest): AsyncGenerator<AgentEvent> {
  const last = messages.at(-1)
  const plan = planIn(last === undefined ? '' : textOf(last))
  yield { type: 'step-start' }
  for await (const text of dueDeltas(plan)) yield { type: 'text-delta', text }
  yield { type: 'step-end' }
  yield { type: 'finish', finishReason: 'stop' }
}
