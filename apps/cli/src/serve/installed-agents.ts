import {
  type Agent,
  MasterAgent,
  type MasterAgentOptions,
  namedAgent,
  type ToolFactory,
} from '@throughline/agents'
import { BrowserSubAgent } from '@throughline/agents/browser'
import { demoPageLine, demoSubAgents, demoTools, startDemoPage } from '@throughline/agents/demo'
import {
  type HideSecrets,
  McpKeyConflict,
  type McpProblem,
  type McpSignInStore,
  type ModelChoice,
  ModelSettingError,
  type ModelThread,
  mcpTools,
  modelName,
  modelNamed,
} from '@throughline/agents/internal'
import { type AgentSystem, agentSystem } from '@throughline/server'
import { refuseSetting } from '../config/checks.ts'
import type { AgentInList, Config, ConfigAgents } from '../config/config.ts'
import {
  absentTools,
  assertFreeKeys,
  installedTools,
  type OwnData,
  withApprovals,
  withIdempotent,
} from './installed-tools.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The agents of a server, and what they work with. */
interface InstalledAgents {
  readonly agents: readonly Agent[]
  readonly system: AgentSystem
  /** Ends the programs and connections that were started for the tools. */
  closeTools(): Promise<void>
}

/** What the agents of a server need from outside, and whom they report to. */
interface InstalledAgentsOptions {
  readonly env: Environment
  /** Where the server's own data are. No agent may read these as a database. */
  readonly ownData: OwnData
  /** Reads the answers of the models that settings name, if there is one. */
  readonly modelThread?: ModelThread | undefined
  /** Replaces the secrets of the installation in what its tools return. */
  readonly hideSecrets: HideSecrets
  /** Called with every MCP server that cannot be reached, now or later. */
  readonly report: (problem: McpProblem) => void
  /** Where the sign-ins of people at MCP servers are kept. */
  readonly signIns?: McpSignInStore | undefined
  /** The clock of the store. Default: the clock of this machine. */
  readonly now?: (() => Date) | undefined
  /** Called when the configuration replaces something that comes with Throughline. */
  readonly note: (sentence: string) => void
  /** Called with what the operator should know about the browser. */
  readonly warn: (message: string) => void
}

/**
 * Returns the agents of an installation: those that come with Throughline, and those of the configuration. Throws a
 * `SettingError` when the configuration cannot work.
 */
export async function installedAgents(
  config: Config,
  { name, model }: ModelChoice,
  { env, ownData, modelThread, hideSecrets, report, signIns, now, note, warn }: InstalledAgentsOptions,
): Promise<InstalledAgents> {
  const { agents = [], prices = {}, limits = {}, mcp: servers = {} } = config
  // Ends everything that was started so far when the configuration turns out to be wrong.
  await using started = new AsyncDisposableStack()
  const ownModel = typeof config.master === 'string' ? undefined : config.master?.model
  const demo = name === 'demo' && ownModel === undefined ? await demoParts(config) : noParts
  started.defer(demo.close)
  const own = [...installedTools(config, { env, ownData, warn, pageHosts: demo.pageHosts }), ...demo.tools]
  assertFreeKeys(own)
  const takenKeys = own.map(({ key }) => key)
  const { allowHosts } = config
  const mcp = await mcpTools(servers, { takenKeys, report, signIns, now, allowHosts }).catch(error => {
    if (error instanceof McpKeyConflict) refuseSetting('mcp', error.message)
    throw error
  })
  started.defer(mcp.close)
  for (const problem of mcp.problems) report(problem)
  const tools = [...own, ...mcp.tools]
  const whyAbsent = absentTools(servers, tools)
  const roles = agentRoles(agents, masterFrom(config, { model, ...demo.master }))
  const system = agentSystem({
    tools: withIdempotent(withApprovals(tools, config, whyAbsent), config, whyAbsent),
    subAgents: withoutReplaced([new BrowserSubAgent(), ...demo.subAgents], roles.subAgents, note),
    whyAbsent,
    connections: mcp.signIns,
    defaultModel: ownModel ?? model,
    models: installedModels(config, env, modelThread),
    prices,
    limits,
    hideSecrets,
  })
  const running = started.move()
  return { agents: roles.agents, system, closeTools: () => running.disposeAsync() }
}

/** The agents of a configuration, by what they may do. */
interface AgentRoles {
  /** Those that people can talk to. The first one is the default. */
  readonly agents: readonly Agent[]
  /** Those that other agents can delegate to. */
  readonly subAgents: readonly Agent[]
}

/**
 * Says who of the configuration does what. `master` is the default agent: either one that is made here, or the name of
 * one in `agents`.
 */
function agentRoles(agents: ConfigAgents, master: Agent | string): AgentRoles {
  const named = isList(agents)
    ? agents.map(agent => namedAgent(agent.name, agent))
    : Object.entries(agents).map(([key, agent]) => namedAgent(key, agent))
  if (typeof master === 'string') {
    const isMaster = ({ name }: Agent) => name === master
    const others = named.filter(agent => !isMaster(agent))
    return { agents: [...named.filter(isMaster), ...others], subAgents: named }
  }
  return isList(agents)
    ? { agents: [master], subAgents: named }
    : { agents: [master, ...named], subAgents: [master, ...named] }
}

/** `Array.isArray` alone does not tell a read-only list from an object for the compiler. */
function isList(agents: ConfigAgents): agents is readonly AgentInList[] {
  return Array.isArray(agents)
}

/** Returns the master, or its name when it is one of the configuration's agents. */
function masterFrom({ master = {} }: Config, defaults: MasterAgentOptions): Agent | string {
  return typeof master === 'string' ? master : new MasterAgent({ ...defaults, ...master })
}

/** Returns all sub-agents. One of the configuration replaces a built-in one with the same name. */
function withoutReplaced(
  builtIn: readonly Agent[],
  agents: readonly Agent[],
  note: InstalledAgentsOptions['note'],
): readonly Agent[] {
  const isReplaced = ({ name }: Agent) => agents.some(agent => agent.name === name)
  for (const { name } of builtIn.filter(isReplaced))
    note(
      `The agent "${name}" of throughline.config.ts takes the place of the one that comes with Throughline.`,
    )
  return [...builtIn.filter(agent => !isReplaced(agent)), ...agents]
}

/** What is installed only with the demo model. */
interface DemoParts {
  readonly master: Pick<MasterAgentOptions, 'examples' | 'instructions'>
  readonly tools: readonly ToolFactory[]
  readonly subAgents: readonly Agent[]
  readonly pageHosts: readonly string[]
  close(): Promise<void>
}

const noParts: DemoParts = {
  master: {},
  tools: [],
  subAgents: [],
  pageHosts: [],
  close: async () => {},
}

async function demoParts({ tools = {} }: Config): Promise<DemoParts> {
  const page = await startDemoPage()
  return {
    master: { examples: demoExamples, instructions: demoPageLine(page.url) },
    tools: demoTools().filter(({ key }) => !(key in tools)),
    subAgents: demoSubAgents(),
    pageHosts: [page.host],
    close: page.close,
  }
}

/** One example for each feature. The demo model has a script for each of them. */
const demoExamples = [
  'What can you show me? (help)',
  'What is the weather in Lisbon?',
  'Use several tools at once',
  'Delegate: how warm is it in Reykjavik?',
  'Ask parallel agents about two cities',
  'Send a report that I have to approve',
  'Show me markdown with code and a table',
  '你好，北京天气怎么样？',
]

type LanguageModel = NonNullable<Agent['model']>

/**
 * Returns the models that people may choose besides the agent's own: those of the configuration, and those of
 * `THROUGHLINE_MODELS`. Throws when one of them cannot be used, or is there twice.
 */
export function installedModels(
  { models = [] }: Config,
  env: Environment,
  thread?: ModelThread,
): readonly LanguageModel[] {
  const namedIn = (setting: string, name: string) => usable(name.trim(), { env, setting, thread })
  const fromEnv = (env['THROUGHLINE_MODELS'] ?? '').split(',').map(name => name.trim())
  const offered = [
    ...models.map(model => (typeof model === 'string' ? namedIn('models', model) : model)),
    ...fromEnv.filter(name => name !== '').map(name => namedIn('THROUGHLINE_MODELS', name)),
  ]
  const names = offered.map(modelName)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) refuseSetting('models', `two of them are called "${twice}". Remove one.`)
  return offered
}

function usable(name: string, options: Parameters<typeof modelNamed>[1]): LanguageModel {
  const { setting } = options
  try {
    return modelNamed(name, options).model
  } catch (error) {
    if (!(error instanceof ModelSettingError) || error.setting === setting) throw error
    // The setting of a provider is missing or wrong. The model can also be removed from the list.
    const message = `${error.message} Or remove its models from ${setting}.`
    throw new ModelSettingError(error.code, error.setting, message)
  }
}
