import type { Agent } from '@throughline/agents/agent'
import { MasterAgent } from '@throughline/agents/delegation/master-agent'
import { defaultTools } from '@throughline/agents/tools/default-tools'
import { type AgentSystem, type AgentSystemOptions, agentSystem } from '@throughline/server/runs/agent-system'
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
