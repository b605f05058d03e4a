import type { MCPClientConfig } from '@ai-sdk/mcp'
import { z } from 'zod'
import { limitedFetch } from './limited-fetch.ts'
import { ProgramTransport } from './program-transport.ts'

// The tools that agents may use, by the server's names; `*` is all it has.
const tools = z.array(z.string().min(1)).readonly()

const mcpProgram = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).readonly().optional(),
  // All it gets of the environment, besides what every program needs, such as PATH: keys have to be given by name.
  env: z.record(z.string(), z.string()).readonly().optional(),
  tools,
})

const mcpAddress = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).readonly().optional(),
  tools,
})

/** A server that speaks the Model Context Protocol: a program that is started here, or one at an address. */
export type McpServer = z.infer<typeof mcpProgram> | z.infer<typeof mcpAddress>

/** What is wrong with a server's configuration; values are left out, since they may be keys. */
export function mcpServerIssue(server: unknown): string | undefined {
  const isAddress = typeof server === 'object' && server !== null && 'url' in server
  const { error } = (isAddress ? mcpAddress : mcpProgram).safeParse(server)
  const [issue] = error?.issues ?? []
  if (issue === undefined) return undefined
  const where = issue.path.length === 0 ? '' : `"${issue.path.join('.')}" is not as expected: `
  return `${where}${issue.message}`
}

/** The same in a sentence for a log. */
export function mcpServerProblem(server: McpServer): string | undefined {
  const issue = mcpServerIssue(server)
  return issue && `Its configuration is wrong: ${issue}. Its tools are left out.`
}

/**
 * A way to the server, for one connection. Redirects are refused, so headers go nowhere else. `onFlood` is told when
 * the server says more in one message than may be read.
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
