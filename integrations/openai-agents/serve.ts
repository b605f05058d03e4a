import { Agent, Runner, tool } from '@openai/agents'
import { type Limits, namedAgent } from '@throughline/agents'
import {
  type FromOpenAIAgentsOptions,
  fromOpenAIAgents,
  type OpenAIAgent,
} from '@throughline/agents/openai-agents'
import type { Message } from '@throughline/protocol'
import { agentSystem } from '@throughline/server'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { z } from 'zod'
import type { ScriptedModel } from './scripted-model.ts'

/** Without tracing, which would send what happens to OpenAI. */
export const runner = new Runner({ tracingDisabled: true })

export interface ServedOptions extends Partial<FromOpenAIAgentsOptions> {
  readonly limits?: Partial<Limits>
}

/** Starts a real server that has this agent. */
export function serve(agent: OpenAIAgent, { limits = {}, ...options }: ServedOptions = {}) {
  return startTestServer({
    agents: [namedAgent('support', fromOpenAIAgents(agent, { runner, ...options }))],
    system: agentSystem({ limits }),
  })
}

/** Asks the agent on a server, and returns what the server has saved. */
export async function answerOf(agent: OpenAIAgent, options?: ServedOptions): Promise<Message> {
  await using server = await serve(agent, options)
  await (await ask(server.url, { form: '?approvals=wait' })).text()
  return await loadAnswer(server.url)
}

export const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    if (city === 'Atlantis') throw new Error('There is no such city.')
    return { city, sky: 'clear' }
  },
})

/** Returns an agent that can tell the weather. */
export function support(model: ScriptedModel) {
  return new Agent({ name: 'support', instructions: 'You are support.', model, tools: [weather] })
}
