import { McpConnection, type McpTimeouts, type McpToolDefinition } from './mcp-connection.ts'
import type { McpServer } from './mcp-server.ts'

/** A configured server, reachable or not: connects when it is needed, and again after a connection broke. */
export class McpLink {
  readonly #server: McpServer
  readonly #timeouts: McpTimeouts
  #connection: McpConnection | undefined
  #connecting: Promise<McpConnection> | undefined
  #tools: readonly McpToolDefinition[] = []
  readonly #closing = new AbortController()

  constructor(server: McpServer, timeouts: McpTimeouts) {
    this.#server = server
    this.#timeouts = timeouts
  }

  /** What the server said about its tools when it was last reached; nothing as long as it was not. */
  get tools(): readonly McpToolDefinition[] {
    return this.#tools
  }

  /** The connection to use now. Rejects when the server cannot be reached. */
  async connect(): Promise<McpConnection> {
    if (this.#closing.signal.aborted) throw new Error('The connection was closed for good.')
    if (this.#connection?.isUsable === true) return this.#connection
    // Calls that come at the same time share one attempt.
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /** Ends the connection and, with it, a program that was started for it. */
  async close(): Promise<void> {
    this.#closing.abort()
    // An attempt under way may just have succeeded; the connection is there only after it.
    await this.#connecting?.catch(() => undefined)
    await this.#connection?.close()
  }

  async #open(): Promise<McpConnection> {
    const connection = await McpConnection.open(this.#server, this.#timeouts, this.#closing.signal)
    this.#connection = connection
    this.#tools = connection.tools
    return connection
  }
}
