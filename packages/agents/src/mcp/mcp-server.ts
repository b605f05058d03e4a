import type { MCPClientConfig, OAuthClientProvider } from '@ai-sdk/mcp'
import { defined } from '@throughline/protocol/internal'
import { z } from 'zod'
import { limitedFetch } from './message-limits.ts'
import { isLoopbackUrl } from './oauth/authorization-fetch.ts'
import { mcpOAuth } from './oauth/sign-in-provider.ts'
import { ProgramTransport } from './program-transport.ts'
import { resumedFetch } from './resumed-fetch.ts'

// The names of the tools that agents may use; `*` means all tools of the server.
const tools = z.array(z.string().min(1)).readonly()

// How often connecting is tried again after a failure, and a call that may be repeated after its connection was lost.
const retries = z.int().min(0).max(10).optional()

const mcpProgram = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).readonly().optional(),
  // The environment of the program, in addition to what every program needs, such as PATH. Keys must be given here.
  env: z.record(z.string(), z.string()).readonly().optional(),
  retries,
  tools,
})

const mcpAddress = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).readonly().optional(),
    // With it, each person signs in for themselves.
    oauth: z.union([z.literal(true), mcpOAuth]).optional(),
    retries,
    tools,
  })
  .refine(({ oauth, tools }) => oauth === undefined || !tools.includes('*'), {
    message: 'name the tools, because nobody has signed in when Throughline starts.',
    path: ['tools'],
  })
  .refine(({ oauth, url }) => oauth === undefined || isProtected(new URL(url)), {
    message: 'people sign in there, so it must be on https.',
    path: ['url'],
  })
  .refine(({ oauth, headers = {} }) => oauth === undefined || !hasAuthorization(headers), {
    message: 'it has an authorization, and "oauth" makes one for each person. Remove one of them.',
    path: ['headers'],
  })

/** On this machine nobody can listen. */
function isProtected(url: URL): boolean {
  return url.protocol === 'https:' || isLoopbackUrl(url)
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
}

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

/** With whose authorization a connection talks to its server. */
export interface McpAccess {
  readonly authProvider: OAuthClientProvider
  /** Makes the `fetch` of the connection from the one that reaches the MCP server. */
  readonly fetchWith: (inner: typeof fetch) => typeof fetch
  /** Called with errors of the connection, also with those that the SDK goes on after. */
  readonly onError?: (error: unknown) => void
}

/** What a transport needs besides its server. */
export interface TransportOptions {
  /** Called when one message of the server is too large. */
  readonly onFlood?: (error: unknown) => void
  readonly access?: McpAccess | undefined
}

/** How often connecting and calling are tried again by default. */
const usualRetries = 2

export function retriesOf({ retries = usualRetries }: McpServer): number {
  return retries
}

/** Makes the transport for one connection. Redirects are refused, so that headers with keys go to no other server. */
export function transportTo(
  server: McpServer,
  { onFlood = () => undefined, access }: TransportOptions = {},
): MCPClientConfig['transport'] {
  if (!('url' in server)) {
    const { command, args, env } = server
    return new ProgramTransport({ command, args, env, onFlood })
  }
  const { url, headers = {} } = server
  const own = resumedFetch(limitedFetch(onFlood), { retries: retriesOf(server) })
  const fetchOf = access?.fetchWith(own) ?? own
  const authProvider = defined({ authProvider: access?.authProvider })
  return { type: 'http', url, headers: { ...headers }, redirect: 'error', fetch: fetchOf, ...authProvider }
}
