import type { Agent } from '@throughline/agents/agent'
import { browserTools } from '@throughline/agents/browser/browser-tools'
import { type McpProblem, mcpTools } from '@throughline/agents/mcp/mcp-tools'
import { startDemoPage } from '@throughline/agents/models/demo-page'
import { demoPageLine } from '@throughline/agents/models/demo-prompt'
import { demoSubAgents } from '@throughline/agents/models/demo-sub-agents'
import { demoTools } from '@throughline/agents/models/demo-tools'
import { type ModelChoice, modelFor } from '@throughline/agents/models/model-from-env'
import { BrowserSubAgent } from '@throughline/agents/sub-agents/browser-sub-agent'
import { MasterAgent, type MasterAgentOptions } from '@throughline/agents/sub-agents/master-agent'
import type { SubAgent } from '@throughline/agents/sub-agents/sub-agent'
import { defaultTools } from '@throughline/agents/tools/default-tools'
import { type ToolFactory, toolFactory } from '@throughline/agents/tools/tool-factory-registry'
import { type AgentSystem, agentSystem } from '@throughline/server/runs/agent-system'
import type { Config } from './config.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Installation {
  readonly agents: readonly Agent[]
  readonly system: AgentSystem
  /** Ends what was started for the tools. */
  closeTools(): Promise<void>
}

export interface Surroundings {
  readonly env: Environment
  /** Told about every MCP server that cannot be reached, now or later. */
  readonly report: (problem: McpProblem) => void
}

/** The agents of an installation: what comes with Throughline, and what its configuration adds. */
export async function installedAgents(
  config: Config,
  { name, model }: ModelChoice,
  { env, report }: Surroundings,
): Promise<Installation> {
  const { agents = [], prices = {}, limits = {}, mcp: servers = {} } = config
  const demo = name === 'demo' && config.master?.model === undefined ? await demoParts(config) : noParts
  const own = [...installedTools(config, { env, pageHosts: demo.pageHosts }), ...demo.tools]
  const mcp = await mcpTools(servers, { takenKeys: own.map(({ key }) => key), report })
  for (const problem of mcp.problems) report(problem)
  return {
    agents: [new MasterAgent({ model, ...demo.master, ...config.master })],
    system: agentSystem({
      tools: [...own, ...mcp.tools].map(factory => withApproval(factory, config)),
      // An agent of the configuration takes the place of another one with its name.
      subAgents: [new BrowserSubAgent(), ...demo.subAgents, ...agents],
      resolveModel: spec => modelFor(spec, env),
      prices,
      limits,
    }),
    async closeTools() {
      await Promise.all([mcp.close(), demo.close()])
    },
  }
}

/** What there is only for the demo model. */
interface DemoParts {
  readonly master: Pick<MasterAgentOptions, 'examples' | 'instructions'>
  readonly tools: readonly ToolFactory[]
  readonly subAgents: readonly SubAgent[]
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
  { tools = {}, allowHosts = [] }: Config,
  { env, pageHosts }: { readonly env: Environment; readonly pageHosts: readonly string[] },
): readonly ToolFactory[] {
  return [
    ...defaultTools({ env, allowHosts }),
    ...browserTools({ env, allowHosts: [...allowHosts, ...pageHosts] }),
    ...Object.entries(tools).map(([key, tool]) => toolFactory(key, tool)),
  ]
}

function withApproval(factory: ToolFactory, { approvals = {} }: Config): ToolFactory {
  const needsApproval = approvals[factory.key]
  return needsApproval === undefined ? factory : { ...factory, needsApproval }
}

/** One for each thing worth seeing; the demo model knows what to do with them. */
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
