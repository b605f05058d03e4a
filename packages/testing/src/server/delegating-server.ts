import { type AgentDefinition, defineAgent } from '@throughline/agents/define-agent'
import { MasterAgent } from '@throughline/agents/delegation/master-agent'
import type { SubAgent } from '@throughline/agents/delegation/sub-agent'
import { SubAgentRegistry } from '@throughline/agents/delegation/sub-agent-registry'
import { subAgentTool } from '@throughline/agents/delegation/sub-agent-tool'
import type { SubAgentSource } from '@throughline/agents/run/run-scope'
import { type ToolFactory, toolFactory } from '@throughline/agents/run/tool-factory-registry'
import { openUrlTool } from '@throughline/agents/tools/open-url'
import { currentTabTool, tabsTool } from '@throughline/agents/tools/tabs'
import { type AgentSystemOptions, agentSystem } from '@throughline/server/runs/agent-system'
import { type LanguageModel, tool } from 'ai'
import { z } from 'zod'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

export interface DelegationOptions extends AgentSystemOptions, Omit<TestServerOptions, 'agents' | 'system'> {
  /** The master's, and that of every sub-agent without its own. */
  readonly model: LanguageModel
  readonly toolKeys?: readonly string[]
  readonly allowedSubAgents?: readonly string[]
  /** Where sub-agents come from that are not in code. */
  readonly source?: SubAgentSource
}

/** A server whose master is called `master` and may ask everybody; beside tools of the test's own it has `note`. */
export function startDelegation(options: DelegationOptions): Promise<TestServer> {
  return startTestServer(delegating(options))
}

/** What such a server is started with. */
export function delegating(options: DelegationOptions): TestServerOptions {
  const { model, toolKeys, allowedSubAgents, source } = options
  const { tools = [], subAgents = [], limits = {}, prices = {}, ...server } = options
  const master = new MasterAgent({
    name: 'master',
    displayName: 'The master',
    instructions: 'You are master.',
    model,
    ...(toolKeys === undefined ? {} : { toolKeys }),
    ...(allowedSubAgents === undefined ? {} : { allowedSubAgents }),
  })
  const system = agentSystem({
    tools: [noteTool, openUrlTool, currentTabTool, tabsTool, subAgentTool, ...tools],
    subAgents,
    limits,
    prices,
  })
  const agents = [master]
  if (source === undefined) return { ...server, agents, system }
  const registry = new SubAgentRegistry(subAgents, source)
  return { ...server, agents, system: { ...system, subAgentsOf: () => registry } }
}

/** A sub-agent as the scripted model knows it. */
export function subAgent(name: string, more: Partial<AgentDefinition> = {}): SubAgent {
  return defineAgent({
    name,
    displayName: `The ${name}`,
    description: `Does what a ${name} does.`,
    instructions: `You are ${name}.`,
    ...more,
  })
}

const noteTool: ToolFactory = toolFactory(
  'note',
  tool({
    description: 'Writes something down.',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }) => ({ noted: text }),
  }),
)
