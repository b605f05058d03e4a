import { McpConnection, type McpTimeouts, type McpToolDefinition } from './mcp-connection.ts'
import type { McpServer } from './mcp-server.ts'

/** A server of the configuration. It connects when a call needs it, and again after a connection broke. */
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

  /** The tools of the server when it was last reached; none before that. */
  get tools(): readonly McpToolDefinition[] {
    return this.#tools
  }

  /** Resolves to a working connection. Rejects when the server cannot be reached. */
  async connect(): Promise<McpConnection> {
    if (this.#closing.signal.aborted) throw new Error('The connection was closed for good.')
    if (this.#connection?.isUsable === true) return this.#connection
    // Calls that come at the same time share one attempt.
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /** Closes the connection, and ends the program that was started for it. */
  async close(): Promise<void> {
    this.#closing.abort()
    // An attempt that is under way may still succeed. Then its connection has to be closed, too.
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
