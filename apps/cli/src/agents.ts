import {
  type Agent,
  MasterAgent,
  type MasterAgentOptions,
  type ToolFactory,
  toolFactory,
} from '@throughline/agents'
import { BrowserSubAgent, browserTools } from '@throughline/agents/browser'
import { demoPageLine, demoSubAgents, demoTools, startDemoPage } from '@throughline/agents/demo'
import {
  defaultTools,
  type HideSecrets,
  McpKeyConflict,
  type McpProblem,
  type McpSignInStore,
  type ModelChoice,
  type ModelThread,
  mcpTools,
} from '@throughline/agents/internal'
import { type AgentSystem, agentSystem } from '@throughline/server'
import { absentTools } from './config/absent-tools.ts'
import { refuse } from './config/checks.ts'
import { agentRoles } from './config/config-agents.ts'
import { installedDatabases, type OwnData } from './config/installed-databases.ts'
import { withApprovals } from './config/with-approvals.ts'
import { withIdempotent } from './config/with-idempotent.ts'
import type { Config } from './config.ts'
import { offeredModels } from './offered-models.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The agents of a server, and what they work with. */
export interface Installation {
  readonly agents: readonly Agent[]
  readonly system: AgentSystem
  /** Ends the programs and connections that were started for the tools. */
  closeTools(): Promise<void>
}

/** What the agents of a server need from outside, and whom they report to. */
export interface Surroundings {
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
  { env, ownData, modelThread, hideSecrets, report, signIns, note, warn }: Surroundings,
): Promise<Installation> {
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
  const mcp = await mcpTools(servers, { takenKeys, report, signIns, allowHosts }).catch(error => {
    if (error instanceof McpKeyConflict) refuse('mcp', error.message)
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
    models: offeredModels(config, env, modelThread),
    prices,
    limits,
    hideSecrets,
  })
  const running = started.move()
  return { agents: roles.agents, system, closeTools: () => running.disposeAsync() }
}

/** Returns the master, or its name when it is one of the configuration's agents. */
function masterFrom({ master = {} }: Config, defaults: MasterAgentOptions): Agent | string {
  return typeof master === 'string' ? master : new MasterAgent({ ...defaults, ...master })
}

/** Returns all sub-agents. One of the configuration replaces a built-in one with the same name. */
function withoutReplaced(
  builtIn: readonly Agent[],
  agents: readonly Agent[],
  note: Surroundings['note'],
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

function installedTools(
  config: Config,
  {
    env,
    ownData,
    warn,
    pageHosts,
  }: Pick<Surroundings, 'env' | 'ownData' | 'warn'> & Pick<DemoParts, 'pageHosts'>,
): readonly ToolFactory[] {
  const { tools = {}, allowHosts = [] } = config
  return [
    ...defaultTools({ env, allowHosts }),
    ...browserTools({ env, warn, allowHosts: [...allowHosts, ...pageHosts] }),
    ...Object.entries(tools).map(([key, tool]) => toolFactory(key, tool)),
    ...installedDatabases(config, ownData),
  ]
}

/** Throws when a tool of the configuration has the key of a built-in tool. */
function assertFreeKeys(tools: readonly ToolFactory[]): void {
  const keys = new Set<string>()
  for (const { key } of tools) {
    if (keys.has(key)) refuse(`tools.${key}`, 'there is a tool of this key already. Rename yours.')
    keys.add(key)
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
