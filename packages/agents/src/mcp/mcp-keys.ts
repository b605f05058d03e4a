import { createHash } from 'node:crypto'

/** Two MCP servers of a configuration could not be told apart by the keys of their tools. */
export class McpKeyConflict extends Error {
  override readonly name = 'McpKeyConflict'
  readonly code = 'mcp-key-conflict'
}

/** The longest name of a tool that every provider takes. */
const maxKeyChars = 64

/** What models and pages call a tool: `server_tool`, in characters that every provider takes. */
export function mcpKey(server: string, tool: string): string {
  const key = mcpKeyPrefix(server) + plain(tool)
  if (key.length <= maxKeyChars) return key
  // Cut keys must differ when their names do.
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8)
  return `${key.slice(0, maxKeyChars - hash.length - 1)}_${hash}`
}

/**
 * Throws when a configuration gives one key to two tools: when the keys of two servers begin alike, or when a tool that it
 * lists by name has a key of another server. What servers have under `*` is not known yet, and not the operator's doing.
 */
export function assertDistinctKeys(
  configured: Readonly<Record<string, { readonly tools: readonly string[] }>>,
): void {
  const servers = Object.keys(configured)
  const known = new Map<string, string>()
  for (const server of servers) {
    const other = known.get(mcpKeyPrefix(server))
    if (other !== undefined) {
      throw new McpKeyConflict(
        `The MCP servers "${other}" and "${server}" would both have tools with keys like "${mcpKeyPrefix(server)}tool". Rename one of them.`,
      )
    }
    known.set(mcpKeyPrefix(server), server)
  }
  for (const [server, { tools }] of Object.entries(configured)) {
    // A list that is none is told of elsewhere.
    if (!Array.isArray(tools) || tools.includes('*')) continue
    const [problem] = keyTools({ server, tools: [...new Set(tools)], servers }).problems
    if (problem !== undefined) throw new McpKeyConflict(problem)
  }
}

export interface ServerTools {
  readonly server: string
  readonly tools: readonly string[]
  /** The names of all servers. */
  readonly servers: readonly string[]
}

export interface KeyedTools {
  /** The tools that can be had, by their keys. */
  readonly byKey: ReadonlyMap<string, string>
  /** Why others cannot. */
  readonly problems: readonly string[]
}

/**
 * The keys of a server's tools. A key belongs to the server with the longest name that it begins with: `a_b_c` to the
 * server `a_b` and not to `a`, whether `a_b` has a tool `c` or not, and whether it can be reached or not. So what is
 * behind a key, and has been approved under it, never changes with who is there.
 */
export function keyTools({ server, tools, servers }: ServerTools): KeyedTools {
  const byKey = new Map<string, string>()
  const problems: string[] = []
  for (const tool of tools) {
    const key = mcpKey(server, tool)
    const owner = ownerOf(key, servers) ?? server
    const rivals = tools.filter(each => each !== tool && mcpKey(server, each) === key)
    if (owner !== server) problems.push(foreignKey(tool, { key, server, owner }))
    else if (rivals.length > 0 && plain(tool) !== tool) {
      problems.push(
        `The tools "${tool}" and "${rivals[0]}" of the MCP server "${server}" would both have the key "${key}". Leave one of them out.`,
      )
    } else byKey.set(key, tool)
  }
  return { byKey, problems }
}

function foreignKey(
  tool: string,
  { key, server, owner }: Readonly<Record<'key' | 'server' | 'owner', string>>,
): string {
  return `The tool "${tool}" of the MCP server "${server}" would have the key "${key}", which belongs to the server "${owner}". Rename one of the servers.`
}

function ownerOf(key: string, servers: readonly string[]): string | undefined {
  return servers
    .filter(server => key.startsWith(mcpKeyPrefix(server)))
    .toSorted((one, other) => other.length - one.length)[0]
}

/** What the keys of a server's tools begin with, unless they are too long. */
export function mcpKeyPrefix(server: string): string {
  return `${plain(server)}_`
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}
