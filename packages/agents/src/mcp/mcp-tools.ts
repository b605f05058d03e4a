import type { ToolFactory } from '../run/tool-factory-registry.ts'
import type { McpTimeouts } from './mcp-connection.ts'
import { assertDistinctKeys, keyTools } from './mcp-keys.ts'
import { McpLink, type McpReach } from './mcp-link.ts'
import { type McpServer, mcpServerProblem, retriesOf } from './mcp-server.ts'
import { mcpToolFactory } from './mcp-tool-factory.ts'
import type { McpSignInStore } from './oauth/sign-in-record.ts'
import { type PersonalLinkOptions, PersonalLinks } from './personal-links.ts'

/** A server, or a tool of it, that does not work. */
export interface McpProblem {
  readonly server: string
  /** For the operator's log. It may contain what users must not see. */
  readonly message: string
}

/** The options of `mcpTools`. All of them may be left out. */
export interface McpToolsOptions
  extends Partial<McpTimeouts>,
    Pick<PersonalLinkOptions, 'allowHosts' | 'now' | 'ca' | 'resolve'> {
  /** Where the sign-ins of people are kept. Servers with `oauth` need it. */
  readonly signIns?: McpSignInStore | undefined
  /** The keys of other tools. No MCP tool may have one of them. */
  readonly takenKeys?: Iterable<string>
  /** Is called when a server cannot be reached later. */
  readonly report?: (problem: McpProblem) => void
}

/** The tools of all MCP servers. */
export interface McpTools {
  readonly tools: readonly ToolFactory[]
  /** The servers and tools that did not work at the start. */
  readonly problems: readonly McpProblem[]
  /** The servers at which each person signs in, by name. */
  readonly signIns: ReadonlyMap<string, PersonalLinks>
  /** Closes all connections and ends the programs that were started. */
  close(): Promise<void>
}

/**
 * Connects to MCP servers and returns their tools, with keys like `server_tool`. When a server is down, only its own tools
 * fail: they say that it cannot be reached, and each call tries again. Throws `McpKeyConflict` when the configuration gives
 * one key to two tools.
 */
export async function mcpTools(
  servers: Readonly<Record<string, McpServer>>,
  options: McpToolsOptions = {},
): Promise<McpTools> {
  const { connectTimeoutMs = 10_000, callTimeoutMs = 60_000, report = () => undefined } = options
  assertDistinctKeys(servers)
  const problems: McpProblem[] = []
  const links = Object.entries(servers).flatMap(([name, server]) => {
    const message = mcpServerProblem(server)
    if (message !== undefined) problems.push({ server: name, message })
    if (message !== undefined) return []
    return [{ name, server, link: linkTo(name, server, { ...options, connectTimeoutMs, callTimeoutMs }) }]
  })
  await Promise.all(
    links.map(async ({ name, link }) => {
      // Nobody has signed in yet.
      if (link instanceof PersonalLinks) return
      await link.connectOnce().catch(error => problems.push({ server: name, message: messageOf(error) }))
    }),
  )
  const takenKeys = new Set(options.takenKeys)
  const tools: ToolFactory[] = []
  for (const { name, server, link } of links) {
    const offered = { server: name, tools: offeredTools(server, link), servers: Object.keys(servers) }
    const { byKey, problems: conflicts } = keyTools(offered)
    for (const message of conflicts) problems.push({ server: name, message })
    for (const [key, tool] of byKey) {
      const problem = problemWith(tool, { key, link, takenKeys })
      if (problem !== undefined) problems.push({ server: name, message: problem })
      if (takenKeys.has(key)) continue
      takenKeys.add(key)
      const onUnreachable = (error: unknown) => report({ server: name, message: messageOf(error) })
      tools.push(mcpToolFactory({ key, server: name, tool, link, retries: retriesOf(server), onUnreachable }))
    }
  }
  const close = async () => {
    await Promise.all(links.map(({ link }) => link.close()))
  }
  const signIns = links.flatMap(({ name, link }) =>
    link instanceof PersonalLinks ? [[name, link] as const] : [],
  )
  return { tools, problems, signIns: new Map(signIns), close }
}

function linkTo(
  name: string,
  server: McpServer,
  { signIns, ...options }: McpToolsOptions & McpTimeouts,
): McpLink | PersonalLinks {
  if (!('url' in server) || server.oauth === undefined) return new McpLink(server, options)
  if (signIns === undefined)
    throw new TypeError(`The MCP server "${name}" has "oauth", which needs "signIns".`)
  return new PersonalLinks(name, server, { ...options, signIns })
}

/** Returns the names of the tools that agents may use. When a server is down, tools listed by name still exist. */
function offeredTools({ tools }: McpServer, link: McpReach): readonly string[] {
  return tools.includes('*') ? link.tools.map(({ name }) => name) : [...new Set(tools)]
}

interface ToolPlace {
  readonly key: string
  readonly link: McpReach
  readonly takenKeys: ReadonlySet<string>
}

function problemWith(tool: string, { key, link, takenKeys }: ToolPlace): string | undefined {
  if (takenKeys.has(key)) return `Its tool "${tool}" is left out: there is another tool "${key}".`
  const isKnown = link.tools.length === 0 || link.tools.some(({ name }) => name === tool)
  return isKnown ? undefined : `It has no tool "${tool}". Check the name in the configuration.`
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, 500)
}
