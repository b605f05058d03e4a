import { type Agent, MasterAgent } from '@throughline/agents'
import { defaultTools } from '@throughline/agents/internal'
import { type AgentSystem, agentSystem } from '@throughline/server'
import type { AgentSystemOptions } from '@throughline/server/testing'
import type { LanguageModel } from 'ai'

/** Returns the options of a server as a new installation has them, with the test's own model. */
export function defaultInstallation(
  model: LanguageModel,
  { tools = [], ...options }: AgentSystemOptions = {},
): { readonly agents: readonly Agent[]; readonly system: AgentSystem } {
  return {
    agents: [new MasterAgent({ model })],
    system: agentSystem({ ...options, tools: [...defaultTools(), ...tools] }),
  }
}
