import { setTimeout } from 'node:timers/promises'
import { createMCPClient, type ListToolsResult, type MCPClient, MCPClientError } from '@ai-sdk/mcp'
import { type McpServer, transportTo } from './mcp-server.ts'

/** A tool as an MCP server describes it. */
export type McpToolDefinition = ListToolsResult['tools'][number]
/** What an MCP server returns for a call. */
export type McpCallResult = Awaited<ReturnType<MCPClient['callTool']>>

/** How long connecting and calling may take, in milliseconds. */
export interface McpTimeouts {
  readonly connectTimeoutMs: number
  readonly callTimeoutMs: number
}

/** A call of a tool. `name` is the name of the tool on its server. */
export interface McpCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

interface ConnectionParts {
  readonly client: MCPClient
  readonly tools: readonly McpToolDefinition[]
  readonly callTimeoutMs: number
  readonly flooded: Promise<never>
}

/** One connection to a server. It is not repaired when it breaks: callers open another one. */
export class McpConnection {
  readonly tools: readonly McpToolDefinition[]
  readonly #client: MCPClient
  readonly #callTimeoutMs: number
  /** Rejects when a message of the server is too large. All open calls are lost then. */
  readonly #flooded: Promise<never>
  #isUsable = true
  #openCalls = 0

  /** Rejects when the server does not respond in time, or not according to the protocol. */
  static async open(
    server: McpServer,
    { connectTimeoutMs, callTimeoutMs }: McpTimeouts,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)])
    const flood = Promise.withResolvers<never>()
    // While no call waits, this must not be an unhandled rejection.
    flood.promise.catch(() => undefined)
    const transport = transportTo(server, flood.reject)
    const opened = createMCPClient({
      transport,
      clientName: 'throughline',
      initializationOptions: { timeout: connectTimeoutMs, signal },
      // An error that breaks a call rejects that call. Other errors do not matter.
      onUncaughtError: () => undefined,
    })
    const client = await Promise.race([opened, flood.promise])
    try {
      const tools = await Promise.race([allTools(client, deadline), flood.promise])
      const connection = new McpConnection({ client, tools, callTimeoutMs, flooded: flood.promise })
      if ('onclose' in transport) connection.#watch(transport)
      return connection
    } catch (error) {
      await client.close()
      throw error
    }
  }

  private constructor({ client, tools, callTimeoutMs, flooded }: ConnectionParts) {
    this.#client = client
    this.tools = tools
    this.#callTimeoutMs = callTimeoutMs
    this.#flooded = flooded
  }

  /** False when the connection is broken. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Makes one call. A call that breaks is not repeated, because it may have had an effect. */
  async call({ name, input, signal }: McpCall): Promise<McpCallResult> {
    this.#openCalls += 1
    try {
      const options = { timeout: this.#callTimeoutMs, ...(signal === undefined ? {} : { signal }) }
      return await Promise.race([this.#client.callTool({ name, arguments: input, options }), this.#flooded])
    } catch (error) {
      // After a refusal by the server, or a stop by us, the connection still works. After other errors it may not.
      if (!isRefusal(error) && signal?.aborted !== true) this.#isUsable = false
      throw error
    } finally {
      this.#openCalls -= 1
      // Not awaited: the caller has its error, and closing never fails.
      if (!this.#isUsable && this.#openCalls === 0) void this.close()
    }
  }

  /** Closes the connection. Waits only two seconds for a server that does not respond. Never rejects. */
  async close(): Promise<void> {
    this.#isUsable = false
    const waiting = new AbortController()
    await Promise.race([
      this.#client.close().catch(() => undefined),
      setTimeout(maxCloseMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ])
    waiting.abort()
  }

  // Notices that a program has ended between two calls.
  #watch(transport: { onclose?: (() => void) | undefined }): void {
    const tellClient = transport.onclose
    transport.onclose = () => {
      this.#isUsable = false
      tellClient?.()
    }
  }
}

const maxTools = 500
const maxCloseMs = 2_000

async function allTools(client: MCPClient, signal: AbortSignal): Promise<readonly McpToolDefinition[]> {
  const tools: McpToolDefinition[] = []
  let cursor: string | undefined
  do {
    const page = await client.listTools({
      ...(cursor === undefined ? {} : { params: { cursor } }),
      options: { signal },
    })
    tools.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor !== undefined && tools.length < maxTools)
  return tools.slice(0, maxTools)
}

/** Returns whether the server has refused the call with an error of the protocol. */
export function isRefusal(error: unknown): error is MCPClientError {
  return MCPClientError.isInstance(error) && error.code !== undefined
}
