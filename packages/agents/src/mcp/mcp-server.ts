import type { MCPClientConfig } from '@ai-sdk/mcp'
import { z } from 'zod'
import { limitedFetch } from './limited-fetch.ts'
import { ProgramTransport } from './program-transport.ts'

// The names of the tools that agents may use; `*` means all tools of the server.
const tools = z.array(z.string().min(1)).readonly()

const mcpProgram = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).readonly().optional(),
  // The environment of the program, in addition to what every program needs, such as PATH. Keys must be given here.
  env: z.record(z.string(), z.string()).readonly().optional(),
  tools,
})

const mcpAddress = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).readonly().optional(),
  tools,
})

/** An MCP server (Model Context Protocol): a program that is started here, or a server at an address. */
export type McpServer = z.infer<typeof mcpProgram> | z.infer<typeof mcpAddress>

/** What is wrong with the configuration of a server. It contains no values, because they may be keys. */
export function mcpServerIssue(server: unknown): string | undefined {
  const isAddress = typeof server === 'object' && server !== null && 'url' in server
  const { error } = (isAddress ? mcpAddress : mcpProgram).safeParse(server)
  const [issue] = error?.issues ?? []
  if (issue === undefined) return undefined
  const where = issue.path.length === 0 ? '' : `"${issue.path.join('.')}" is not as expected: `
  return `${where}${issue.message}`
}

/** Returns the problem as a sentence for a log. */
export function mcpServerProblem(server: McpServer): string | undefined {
  const issue = mcpServerIssue(server)
  return issue && `Its configuration is wrong: ${issue}. Its tools are left out.`
}

/**
 * Makes the transport for one connection. Redirects are refused, so that headers with keys go to no other server. `onFlood`
 * is called when one message of the server is too large.
 */
export function transportTo(
  server: McpServer,
  onFlood: (error: unknown) => void = () => undefined,
): MCPClientConfig['transport'] {
  if ('url' in server) {
    const { url, headers = {} } = server
    return { type: 'http', url, headers: { ...headers }, redirect: 'error', fetch: limitedFetch(onFlood) }
  }
  const { command, args, env } = server
  return new ProgramTransport({ command, args, env, onFlood })
}
