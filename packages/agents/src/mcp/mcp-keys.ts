import { createHash } from 'node:crypto'

/** The configuration gives one key to tools of two MCP servers. */
export class McpKeyConflict extends Error {
  override readonly name = 'McpKeyConflict'
  readonly code = 'mcp-key-conflict'
}

/** The longest name of a tool that every provider accepts, in characters. */
const maxKeyChars = 64

/** Returns the key of a tool: `server_tool`, with characters that every provider accepts. */
export function mcpKey(server: string, tool: string): string {
  const key = mcpKeyPrefix(server) + plain(tool)
  if (key.length <= maxKeyChars) return key
  // Two long names with the same beginning must have different keys.
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8)
  return `${key.slice(0, maxKeyChars - hash.length - 1)}_${hash}`
}

/**
 * Throws when a configuration gives one key to two tools: because the keys of two servers begin with the same text, or
 * because a tool that is listed by name has a key of another server. The tools of `*` are not checked here: they are not
 * known yet.
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
    // Another check reports a value that is not a list.
    if (!Array.isArray(tools) || tools.includes('*')) continue
    const [problem] = keyTools({ server, tools: [...new Set(tools)], servers }).problems
    if (problem !== undefined) throw new McpKeyConflict(problem)
  }
}

/** The tools of one MCP server, and the names of all servers. */
export interface ServerTools {
  readonly server: string
  readonly tools: readonly string[]
  /** The names of all servers. */
  readonly servers: readonly string[]
}

/** The tools of one MCP server by key. */
export interface KeyedTools {
  /** The tools that agents may use, by their keys. */
  readonly byKey: ReadonlyMap<string, string>
  /** Why other tools are left out. */
  readonly problems: readonly string[]
}

/**
 * Returns the keys of a server's tools. A key belongs to the server with the longest name that it begins with: `a_b_c`
 * belongs to the server `a_b` and not to `a`. It makes no difference whether `a_b` has a tool `c`, or can be reached. So a
 * key always means the same tool, and approvals by key stay valid.
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

/** Returns the beginning of the keys of a server's tools. Only keys that are too long have another one. */
export function mcpKeyPrefix(server: string): string {
  return `${plain(server)}_`
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}
