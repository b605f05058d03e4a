import { setTimeout } from 'node:timers/promises'
import {
  createMCPClient,
  ElicitationRequestSchema,
  type ElicitResult,
  type ListToolsResult,
  type MCPClient,
  MCPClientError,
} from '@ai-sdk/mcp'
import { type McpAccess, type McpServer, transportTo } from './mcp-server.ts'
import { type Ask, OpenCalls } from './open-calls.ts'

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
  /** Asks the person for whom the call is made. Without it, questions of the server are cancelled. */
  readonly ask?: Ask | undefined
}

/** What calls go through: a connection, or one that is bound to a person. */
export interface McpCaller {
  readonly tools: readonly McpToolDefinition[]
  /** False when the connection is broken. */
  readonly isUsable: boolean
  call(call: McpCall): Promise<McpCallResult>
}

/** What opening a connection needs besides its server. */
export interface OpenOptions extends McpTimeouts {
  readonly signal: AbortSignal
  readonly access?: McpAccess | undefined
}

interface ConnectionParts {
  readonly client: MCPClient
  readonly tools: readonly McpToolDefinition[]
  readonly calls: OpenCalls
  readonly flooded: Promise<never>
}

/** One connection to a server. It is not repaired when it breaks: callers open another one. */
export class McpConnection implements McpCaller {
  readonly tools: readonly McpToolDefinition[]
  readonly #client: MCPClient
  readonly #calls: OpenCalls
  /** Rejects when a message of the server is too large. All open calls are lost then. */
  readonly #flooded: Promise<never>
  #isUsable = true

  /** Rejects when the server does not respond in time, or not according to the protocol. */
  static async open(
    server: McpServer,
    { connectTimeoutMs, callTimeoutMs, signal, access }: OpenOptions,
  ): Promise<McpConnection> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)])
    const flood = Promise.withResolvers<never>()
    // While no call waits, this must not be an unhandled rejection.
    flood.promise.catch(() => undefined)
    const transport = transportTo(server, { onFlood: flood.reject, access })
    const calls = new OpenCalls(callTimeoutMs)
    const opened = createMCPClient({
      transport,
      clientName: 'throughline',
      // The SDK can pass on questions with a form, but in the protocol of 2026-07-28 none that lead to another page.
      capabilities: { elicitation: { form: {} } },
      initializationOptions: { timeout: connectTimeoutMs, signal },
      // An error that breaks a call rejects that call. Other errors matter only for signing in.
      onUncaughtError: error => access?.onError?.(error),
    })
    const client = await Promise.race([opened, flood.promise])
    client.onElicitationRequest(
      ElicitationRequestSchema,
      ({ params }): Promise<ElicitResult> => calls.ask(params),
    )
    try {
      const tools = await Promise.race([allTools(client, deadline), flood.promise])
      const connection = new McpConnection({ client, tools, calls, flooded: flood.promise })
      if ('onclose' in transport) connection.#watch(transport)
      return connection
    } catch (error) {
      await client.close()
      throw error
    }
  }

  private constructor({ client, tools, calls, flooded }: ConnectionParts) {
    this.#client = client
    this.tools = tools
    this.#calls = calls
    this.#flooded = flooded
  }

  /** False when the connection is broken. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** True while a call waits for its result. */
  get isBusy(): boolean {
    return this.#calls.size > 0
  }

  /** Makes one call. A call that breaks is not repeated here, because it may have had an effect. */
  async call({ name, input, signal, ask }: McpCall): Promise<McpCallResult> {
    try {
      return await this.#calls.run({ signal, ask }, limit =>
        Promise.race([
          this.#client.callTool({ name, arguments: input, options: { signal: limit } }),
          this.#flooded,
        ]),
      )
    } catch (error) {
      // After a refusal by the server, or a stop by us, the connection still works. After other errors it may not.
      if (!isRefusal(error) && signal?.aborted !== true) this.#isUsable = false
      throw error
    } finally {
      // Not awaited: the caller has its error, and closing never fails.
      if (!this.#isUsable && !this.isBusy) void this.close()
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
  if (client.initializeResult.capabilities.tools === undefined) return []
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
