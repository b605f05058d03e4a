import type { ResolveModel } from '@throughline/agents/definitions/defined-sub-agent'
import type { SubAgent } from '@throughline/agents/delegation/sub-agent'
import { SubAgentRegistry } from '@throughline/agents/delegation/sub-agent-registry'
import type { HideSecrets } from '@throughline/agents/errors/hide-secrets'
import { builtInPrices } from '@throughline/agents/prices/built-in-prices'
import type { Prices } from '@throughline/agents/prices/price'
import { defaultLimits, type Limits } from '@throughline/agents/run/limits'
import { type ToolFactory, ToolFactoryRegistry } from '@throughline/agents/run/tool-factory-registry'
import type { OwnerId } from '@throughline/protocol/ids'
import { type DefinitionReader, definedSubAgents } from './defined-sub-agents.ts'

/** What agents work with, the same for every run. */
export interface AgentSystem {
  readonly tools: ToolFactoryRegistry
  /** Those in code. */
  readonly subAgents: readonly SubAgent[]
  /** Those in code, then those the owner defined. */
  subAgentsOf(ownerId: OwnerId, options?: SubAgentsOptions): SubAgentRegistry
  /** The models that definitions may name. */
  readonly resolveModel: ResolveModel
  readonly limits: Limits
  readonly prices: Prices
  /** Why a tool of this key is not there, although the key is right. */
  readonly whyAbsent: (toolKey: string) => string | undefined
  /** Covers the secrets of this server in what tools return. */
  readonly hideSecrets?: HideSecrets | undefined
}

interface SubAgentsOptions {
  /** Adds the definitions of this workspace to those of none. */
  readonly workspaceId?: string | undefined
  /** Where definitions are, when the system does not say. */
  readonly definitions?: DefinitionReader
}

export interface AgentSystemOptions {
  readonly tools?: readonly ToolFactory[]
  readonly subAgents?: readonly SubAgent[]
  /** Where the owners' own sub-agents are; without it there are none. */
  readonly definitions?: DefinitionReader
  /** Without it definitions cannot name a model: their agents run on their callers'. */
  readonly resolveModel?: ResolveModel
  readonly limits?: Partial<Limits>
  /** Prices that take the place of the built-in ones, or stand beside them. */
  readonly prices?: Prices
  /** Tells a tool that is missing for now from one that does not exist, e.g. because its server is down. */
  readonly whyAbsent?: (toolKey: string) => string | undefined
  readonly hideSecrets?: HideSecrets
}

/** A system from its parts; without any, agents have what they bring themselves. */
export function agentSystem(options: AgentSystemOptions = {}): AgentSystem {
  const { tools = [], subAgents = [], resolveModel = () => undefined, limits, prices = {} } = options
  return {
    tools: new ToolFactoryRegistry(tools),
    subAgents,
    subAgentsOf(ownerId, { workspaceId, definitions } = {}) {
      const reader = options.definitions ?? definitions
      const source = reader && definedSubAgents(reader, { ownerId, workspaceId }, resolveModel)
      return new SubAgentRegistry(subAgents, source)
    },
    resolveModel,
    limits: { ...defaultLimits, ...limits },
    prices: { ...builtInPrices, ...prices },
    whyAbsent: options.whyAbsent ?? (() => undefined),
    hideSecrets: options.hideSecrets,
  }
}

/** The same system, with the definitions of a store unless it has its own. */
export function withDefinitions(system: AgentSystem, definitions: DefinitionReader): AgentSystem {
  return {
    ...system,
    subAgentsOf: (ownerId, options) => system.subAgentsOf(ownerId, { definitions, ...options }),
  }
}
