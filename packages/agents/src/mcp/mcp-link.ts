import { retry } from '@throughline/protocol/internal'
import { type McpCaller, McpConnection, type McpTimeouts, type McpToolDefinition } from './mcp-connection.ts'
import { type McpAccess, type McpServer, retriesOf } from './mcp-server.ts'

/** Reaches one server of the configuration. */
export interface McpReach {
  /** The tools of the server as far as they are known. */
  readonly tools: readonly McpToolDefinition[]
  /** Returns the tools. Asks the server for them where that is possible. Never rejects. */
  askForTools(): readonly McpToolDefinition[] | Promise<readonly McpToolDefinition[]>
  /** Resolves to a working connection. Tries several times, and rejects when the server cannot be reached. */
  connect(signal?: AbortSignal): Promise<McpCaller>
}

/** A server of the configuration. It connects when a call needs it, and again after a connection broke. */
export class McpLink implements McpReach {
  readonly #access: (() => McpAccess) | undefined
  readonly #server: McpServer
  readonly #timeouts: McpTimeouts
  #connection: McpConnection | undefined
  #connecting: Promise<McpConnection> | undefined
  #tools: readonly McpToolDefinition[] = []
  readonly #closing = new AbortController()

  constructor(server: McpServer, timeouts: McpTimeouts, access?: () => McpAccess) {
    this.#access = access
    this.#server = server
    this.#timeouts = timeouts
  }

  /** The tools of the server when it was last reached; none before that. */
  get tools(): readonly McpToolDefinition[] {
    return this.#tools
  }

  /** True while a call waits for its result. */
  get isBusy(): boolean {
    return this.#connecting !== undefined || this.#connection?.isBusy === true
  }

  askForTools(): readonly McpToolDefinition[] {
    return this.#tools
  }

  async connect(signal?: AbortSignal): Promise<McpConnection> {
    let failures = 0
    const connection = await retry(() => this.connectOnce(), {
      firstMs: 250,
      maxMs: 4_000,
      signal: signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]),
      onFailure: (error, delayMs) => {
        failures += 1
        if (failures > retriesOf(this.#server) || this.#closing.signal.aborted || !mayPass(error)) throw error
        return delayMs
      },
    })
    signal?.throwIfAborted()
    if (connection === undefined) throw new Error('The connection was closed for good.')
    return connection
  }

  /** Like `connect`, but tries once. */
  async connectOnce(): Promise<McpConnection> {
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
    const signal = this.#closing.signal
    const options = { ...this.#timeouts, signal, access: this.#access?.() }
    const connection = await McpConnection.open(this.#server, options)
    this.#connection = connection
    this.#tools = connection.tools
    return connection
  }
}

/** Returns false for what trying again does not change. */
function mayPass(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // The program does not exist, or may not be started.
  return code !== 'ENOENT' && code !== 'EACCES' && code !== 'mcp-sign-in-needed'
}
