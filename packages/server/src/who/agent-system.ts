import {
  type Agent,
  defaultLimits,
  type Limits,
  type Prices,
  type ToolFactory,
  ToolFactoryRegistry,
} from '@throughline/agents'
import {
  builtInPrices,
  type HideSecrets,
  type ModelSpec,
  modelName,
  modelWithParams,
  type PersonalLinks,
  type RequestContext,
  SubAgentRegistry,
  subAgentToolKey,
} from '@throughline/agents/internal'
import { agentNameRule, isAgentName, type OwnerId } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import { StartError } from '../refusals/start-error.ts'
import { type DefinitionReader, definedSubAgents } from './defined-sub-agents.ts'
import { isPerson } from './person.ts'

/** What agents work with. It is the same for every run. */
export interface AgentSystem {
  /** The tools that agents may use. There are no others. */
  readonly tools: ToolFactoryRegistry
  /** The agents in code that others can delegate to. People may talk to some of them, too. */
  readonly subAgents: readonly Agent[]
  /**
   * Returns the sub-agents in code and those that the owner defined for this place: those of the workspace, before those
   * without one, and of them those that are there on this page. If there is one of the same name in code, that one counts.
   */
  subAgentsOf(ownerId: OwnerId, options?: SubAgentsOptions): SubAgentRegistry
  /** The models that definitions choose from: `defaultModel` and `models`. */
  readonly definable: DefinableModels
  /** The model of an agent that has none, when a person talks to it. */
  readonly defaultModel?: Agent['model']
  /** The models that people may choose for an answer, besides the agent's own, by name. */
  readonly models: ReadonlyMap<string, NonNullable<Agent['model']>>
  /** What one run may use. */
  readonly limits: Limits
  /** The prices of models, built-in ones included. */
  readonly prices: Prices
  /** Returns why a tool with a valid key is not available, or `undefined` for an unknown key. */
  readonly whyAbsent: (toolKey: string) => string | undefined
  /** The MCP servers at which each person signs in, by name. */
  readonly connections: ReadonlyMap<string, PersonalLinks>
  /** Replaces the secrets of this server in what tools return. */
  readonly hideSecrets?: HideSecrets | undefined
}

interface SubAgentsOptions extends Pick<RequestContext, 'workspaceId' | 'pageId'> {
  /** Where definitions are read from, if the system was made without them. */
  readonly definitions?: DefinitionReader
}

/** The options of `agentSystem`. All of them may be left out. */
export interface AgentSystemOptions {
  readonly tools?: readonly ToolFactory[]
  readonly subAgents?: readonly Agent[]
  /** Where the sub-agents that owners defined are read from. Without it there are none. */
  readonly definitions?: DefinitionReader
  /** Without it an agent needs a model of its own, or a caller that has one. Definitions can name it. */
  readonly defaultModel?: Agent['model']
  /** Models that people may choose for an answer, besides the agent's own, and for the agents that they define. Default: none. */
  readonly models?: readonly NonNullable<Agent['model']>[]
  readonly limits?: Partial<Limits>
  /** Prices in addition to the built-in ones. A price for the same model replaces the built-in one. */
  readonly prices?: Prices
  /**
   * Explains why a tool is missing for now, for example because its server is down. Returns `undefined` for a tool
   * that does not exist.
   */
  readonly whyAbsent?: (toolKey: string) => string | undefined
  /** MCP servers at which each person signs in, by name. Default: none. */
  readonly connections?: ReadonlyMap<string, PersonalLinks>
  readonly hideSecrets?: HideSecrets
}

/** Makes a system from its parts. By default agents have only what they bring themselves. */
export function agentSystem(options: AgentSystemOptions = {}): AgentSystem {
  const { tools = [], subAgents = [], models = [], defaultModel, prices = {} } = options
  const limits = { ...defaultLimits, ...options.limits }
  const ownModels = defaultModel === undefined ? [] : [defaultModel]
  const definable = new DefinableModels([...ownModels, ...models], limits)
  return {
    tools: new ToolFactoryRegistry(tools),
    subAgents,
    subAgentsOf(ownerId, { workspaceId, pageId, definitions } = {}) {
      const reader = options.definitions ?? definitions
      const source =
        reader && definedSubAgents(reader, { ownerId, workspaceId, pageId }, spec => definable.find(spec))
      return new SubAgentRegistry(subAgents, source)
    },
    definable,
    defaultModel,
    models: new Map(models.map(model => [modelName(model), model])),
    limits,
    prices: { ...builtInPrices, ...prices },
    whyAbsent: options.whyAbsent ?? (() => undefined),
    connections: options.connections ?? new Map(),
    hideSecrets: options.hideSecrets,
  }
}

/** Returns the system with the definitions of a store, unless it has its own. */
export function withDefinitions(system: AgentSystem, definitions: DefinitionReader): AgentSystem {
  return {
    ...system,
    subAgentsOf: (ownerId, options) => system.subAgentsOf(ownerId, { definitions, ...options }),
  }
}

type LanguageModel = NonNullable<Agent['model']>

/** Names a model, without parameters. */
type ModelAddress = Pick<ModelSpec, 'provider' | 'modelId'>

/** The models that definitions of users choose from: the server's own and those that are offered. There are no others. */
class DefinableModels {
  readonly #models: ReadonlyMap<string, LanguageModel>
  /** The upper bound of `maxOutputTokens`. */
  readonly maxOutputTokens: number

  constructor(models: Iterable<LanguageModel>, { maxDefinedOutputTokens }: Limits) {
    this.#models = new Map(Array.from(models, model => [nameOf(addressOf(model)), model]))
    this.maxOutputTokens = maxDefinedOutputTokens
  }

  get addresses(): readonly ModelAddress[] {
    return Array.from(this.#models.values(), addressOf)
  }

  /**
   * Returns the model of a definition, with its parameters; `undefined` when it is not offered. A definition that was saved
   * under a larger limit gets no more output than the limit of today.
   */
  find({ params, ...address }: ModelSpec): LanguageModel | undefined {
    const model = this.#models.get(nameOf(address))
    if (model === undefined || params === undefined) return model
    const { maxOutputTokens } = params
    return modelWithParams(model, {
      ...params,
      ...(maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: Math.min(maxOutputTokens, this.maxOutputTokens) }),
    })
  }
}

/** Returns what a definition writes to choose a model. */
function addressOf(model: LanguageModel): ModelAddress {
  const name = modelName(model)
  const colon = name.indexOf(':')
  // A text without a provider names a model of the AI SDK's default provider, which is the gateway.
  if (colon === -1) return { provider: 'gateway', modelId: name }
  return { provider: name.slice(0, colon), modelId: name.slice(colon + 1) }
}

function nameOf({ provider, modelId }: ModelAddress): string {
  return `${provider}:${modelId}`
}

/** The agents of a server, and what they work with. */
interface InstalledAgents {
  /** The agents that people talk to. */
  readonly agents: readonly Agent[]
  readonly system: AgentSystem
  /** Names that no agent may have, and what they are used for. */
  readonly taken: ReadonlyMap<string, string>
}

/**
 * Throws a `StartError` when an agent has a name that it must not have, or names a tool or an agent that does not
 * exist. Returns sentences for the log about tools that are missing for now.
 */
export function checkAgents({ agents, system, taken }: InstalledAgents): readonly string[] {
  // People and other agents may talk to the same agent. It counts once.
  const everybody = [...agents, ...system.subAgents.filter(agent => !agents.includes(agent))]
  assertNames(everybody, taken)
  const names = system.subAgents.map(({ name }) => name)
  for (const { name, allowedSubAgents = [] } of everybody) assertSubAgents(name, allowedSubAgents, names)
  return everybody.flatMap(({ name, toolKeys = [] }) => absentTools(name, toolKeys, system))
}

function assertNames(agents: readonly { readonly name: string }[], taken: ReadonlyMap<string, string>): void {
  const known = new Set<string>()
  for (const { name } of agents) {
    if (!isAgentName(name) || isPerson(name)) throw refused(`No agent can be called ${JSON.stringify(name)}`)
    const whose = taken.get(name)
    if (whose !== undefined) throw refused(`No agent can be called "${name}": that is ${whose}`)
    if (known.has(name)) throw refused(`There are two agents called "${name}"`)
    known.add(name)
  }
}

function refused(why: string): StartError {
  return new StartError(
    'agents',
    `${why}. Choose a name that no other agent has and that does not begin with "user::". ${agentNameRule}.`,
  )
}

function assertSubAgents(name: string, allowed: readonly string[], known: readonly string[]): void {
  const unknown = allowed.find(each => each !== '*' && !known.includes(each))
  if (unknown === undefined) return
  throw new StartError(
    'agents',
    `"allowedSubAgents" of the agent "${name}" has ${JSON.stringify(unknown)}, which does not exist in code. ${didYouMean(unknown, known)}`,
  )
}

function absentTools(name: string, keys: readonly string[], system: AgentSystem): readonly string[] {
  const known = system.tools.factories.map(({ key }) => key)
  const missing = keys.filter(key => key !== '*' && key !== subAgentToolKey && !system.tools.has(key))
  return missing.map(key => {
    const why = system.whyAbsent(key)
    if (why !== undefined) return `The agent "${name}" does not have the tool "${key}": ${why}`
    throw new StartError(
      'agents',
      `The agent "${name}" names the tool ${JSON.stringify(key)}, which does not exist. ${didYouMean(key, known)}`,
    )
  })
}
