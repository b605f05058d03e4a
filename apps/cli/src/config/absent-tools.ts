import type { ToolFactory } from '@throughline/agents'
import { type McpServer, mcpKeyPrefix } from '@throughline/agents/internal'

/**
 * Returns a function that says why a tool is missing although its key is right, such as a setting that it needs. The
 * function returns `undefined` for a key that is unknown.
 */
export function absentTools(
  servers: Readonly<Record<string, McpServer>>,
  tools: readonly ToolFactory[],
): (key: string) => string | undefined {
  const isThere = (prefix: string) => tools.some(({ key }) => key.startsWith(prefix))
  // With "*", the tools of a server are known only when the server was reached.
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
