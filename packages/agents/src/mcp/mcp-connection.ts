import { setTimeout } from 'node:timers/promises'
import { createMCPClient, type ListToolsResult, type MCPClient, MCPClientError } from '@ai-sdk/mcp'
import { type McpServer, transportTo } from './mcp-server.ts'

export type McpToolDefinition = ListToolsResult['tools'][number]
export type McpCallResult = Awaited<ReturnType<MCPClient['callTool']>>

export interface McpTimeouts {
  readonly connectTimeoutMs: number
  readonly callTimeoutMs: number
}

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

/** One connection to a server, from its start until it breaks. It is never mended: who needs another opens one. */
export class McpConnection {
  readonly tools: readonly McpToolDefinition[]
  readonly #client: MCPClient
  readonly #callTimeoutMs: number
  /** Rejects when the server has said more in one message than may be read: every call that waits is lost then. */
  readonly #flooded: Promise<never>
  #isUsable = true
  #openCalls = 0

  /** Rejects when the server does not answer in time, or not as a server should. */
  static async open(
    server: McpServer,
    { connectTimeoutMs, callTimeoutMs }: McpTimeouts,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)])
    const flood = Promise.withResolvers<never>()
    // Whoever waits hears of it; without anybody it must not be an unhandled rejection.
    flood.promise.catch(() => undefined)
    const transport = transportTo(server, flood.reject)
    const opened = createMCPClient({
      transport,
      clientName: 'throughline',
      initializationOptions: { timeout: connectTimeoutMs, signal },
      // What breaks a call rejects that call; the rest is noise on the line.
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

  /** Whether another call may be tried on it. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Makes one call, and never makes it again: nobody knows what a call that broke has done. */
  async call({ name, input, signal }: McpCall): Promise<McpCallResult> {
    this.#openCalls += 1
    try {
      const options = { timeout: this.#callTimeoutMs, ...(signal === undefined ? {} : { signal }) }
      return await Promise.race([this.#client.callTool({ name, arguments: input, options }), this.#flooded])
    } catch (error) {
      // An error of the protocol is an answer, and a stop was ours; after anything else the line is suspect.
      if (!isAnswer(error) && signal?.aborted !== true) this.#isUsable = false
      throw error
    } finally {
      this.#openCalls -= 1
      // Nobody waits for it: whoever called has their error, and a close does not fail.
      if (!this.#isUsable && this.#openCalls === 0) void this.close()
    }
  }

  /** Takes its leave, but does not wait long for a server that does not answer. Never fails. */
  async close(): Promise<void> {
    this.#isUsable = false
    const waiting = new AbortController()
    await Promise.race([
      this.#client.close().catch(() => undefined),
      setTimeout(maxCloseMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ])
    waiting.abort()
  }

  // Learns that a program has ended while nobody called it.
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

/** Whether the server itself has refused the call, in the words of the protocol. */
export function isAnswer(error: unknown): error is MCPClientError {
  return MCPClientError.isInstance(error) && error.code !== undefined
}
