import type { ToolFactory } from '../run/tool-factory-registry.ts'
import type { McpTimeouts } from './mcp-connection.ts'
import { assertDistinctKeys, keyTools } from './mcp-keys.ts'
import { McpLink } from './mcp-link.ts'
import { type McpServer, mcpServerProblem } from './mcp-server.ts'
import { mcpToolFactory } from './mcp-tool-factory.ts'

/** A server, or a tool of it, that does not work. */
export interface McpProblem {
  readonly server: string
  /** For the operator's log. It may contain what users must not see. */
  readonly message: string
}

/** The options of `mcpTools`. All of them may be left out. */
export interface McpToolsOptions extends Partial<McpTimeouts> {
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
    const link = new McpLink(server, { connectTimeoutMs, callTimeoutMs })
    return message === undefined ? [{ name, server, link }] : []
  })
  await Promise.all(
    links.map(({ name, link }) =>
      link.connect().catch(error => problems.push({ server: name, message: messageOf(error) })),
    ),
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
      tools.push(mcpToolFactory({ key, server: name, tool, link, onUnreachable }))
    }
  }
  const close = async () => {
    await Promise.all(links.map(({ link }) => link.close()))
  }
  return { tools, problems, close }
}

/** Returns the names of the tools that agents may use. When a server is down, tools listed by name still exist. */
function offeredTools({ tools }: McpServer, link: McpLink): readonly string[] {
  return tools.includes('*') ? link.tools.map(({ name }) => name) : [...new Set(tools)]
}

interface ToolPlace {
  readonly key: string
  readonly link: McpLink
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
