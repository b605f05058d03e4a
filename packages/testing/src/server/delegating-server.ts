import {
  type AgentDefinition,
  defineAgent,
  MasterAgent,
  type SubAgent,
  type ToolFactory,
  toolFactory,
} from '@throughline/agents'
import { SubAgentRegistry, type SubAgentSource } from '@throughline/agents/internal'
import { currentTabTool, openUrlTool, subAgentTool, tabsTool } from '@throughline/agents/testing'
import { agentSystem } from '@throughline/server'
import type { AgentSystemOptions } from '@throughline/server/testing'
import { type LanguageModel, tool } from 'ai'
import { z } from 'zod'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

export interface DelegationOptions extends AgentSystemOptions, Omit<TestServerOptions, 'agents' | 'system'> {
  /** The model of the master and of every sub-agent that has no model itself. */
  readonly model: LanguageModel
  readonly toolKeys?: readonly string[]
  readonly allowedSubAgents?: readonly string[]
  /** Of the master. */
  readonly maxDepth?: number
  /** Loads the sub-agents that are not defined in code. */
  readonly source?: SubAgentSource
}

/**
 * Starts a server whose master is called `master` and may call every sub-agent. It has the test's tools and `note`.
 */
export function startDelegation(options: DelegationOptions): Promise<TestServer> {
  return startTestServer(delegating(options))
}

/** Returns the options of such a server. */
export function delegating(options: DelegationOptions): TestServerOptions {
  const { model, toolKeys, allowedSubAgents, maxDepth, source } = options
  const {
    tools = [],
    subAgents = [],
    limits = {},
    prices = {},
    models = [],
    defaultModel,
    ...server
  } = options
  const master = new MasterAgent({
    name: 'master',
    displayName: 'The master',
    instructions: 'You are master.',
    model,
    ...(toolKeys === undefined ? {} : { toolKeys }),
    ...(allowedSubAgents === undefined ? {} : { allowedSubAgents }),
    ...(maxDepth === undefined ? {} : { maxDepth }),
  })
  const system = agentSystem({
    tools: [noteTool, openUrlTool, currentTabTool, tabsTool, subAgentTool, ...tools],
    subAgents,
    limits,
    prices,
    models,
    defaultModel,
  })
  const agents = [master]
  if (source === undefined) return { ...server, agents, system }
  const registry = new SubAgentRegistry(subAgents, source)
  return { ...server, agents, system: { ...system, subAgentsOf: () => registry } }
}

/** Defines a sub-agent whose instructions begin as the scripted model expects. */
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
