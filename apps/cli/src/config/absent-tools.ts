import { mcpKeyPrefix } from '@throughline/agents/mcp/mcp-keys'
import type { McpServer } from '@throughline/agents/mcp/mcp-server'
import type { ToolFactory } from '@throughline/agents/run/tool-factory-registry'

/** Tells why a tool is not there although its key is right; nothing for a key that means nothing. */
export function absentTools(
  servers: Readonly<Record<string, McpServer>>,
  tools: readonly ToolFactory[],
): (key: string) => string | undefined {
  const isThere = (prefix: string) => tools.some(({ key }) => key.startsWith(prefix))
  // What such a server has is known only when it was reached.
  const unknown = Object.entries(servers)
    .filter(([, server]) => server.tools.includes('*'))
    .map(([name]) => ({ name, prefix: mcpKeyPrefix(name) }))
    .filter(({ prefix }) => !isThere(prefix))
  return key => {
    if (key === 'web_search') return 'set SEARXNG_URL, BRAVE_SEARCH_API_KEY or TAVILY_API_KEY.'
    const server = unknown.find(({ prefix }) => key.startsWith(prefix))
    return server && `the MCP server "${server.name}" could not be reached, so its tools are not known.`
  }
}
