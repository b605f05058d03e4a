import type { StreamSink } from '../../stream/bytes/stream-sink.ts'

/**
 * How one request came in, and how its response goes out. The routes work with this, so they do not know whether Node
 * or a web-standard framework serves them.
 */
export interface Connection {
  /** The beginning of the request's path that is not part of any route: `/ai` if the server is mounted there. */
  readonly basePath: string
  /** The client is known to be on another machine. */
  readonly isRemote: boolean
  /** The address of the client, or of the proxy before it, if it is known. */
  readonly address: string | undefined
  /** Aborts when the response is complete, or when the client has left before that. */
  readonly closed: AbortSignal
  /** Returns the bytes of the request's body. It can be read once. */
  body(): AsyncIterable<Uint8Array>
  /** How many bytes the client has sent so far on this connection. 0 if that is not known. */
  receivedBytes(): number
  /**
   * Begins a response that is a stream. The route returns `response`, and writes to `sink`. If the request was refused
   * meanwhile, the sink is closed.
   */
  openStream(
    headers: Readonly<Record<string, string>>,
    status?: 200 | 202,
  ): {
    readonly sink: StreamSink
    readonly response: Response
  }
  /** Calls this when the whole response has left this process. It is not called if the client leaves before that. */
  onSent(callback: () => void): void
  /** If the response has not begun, it says that the connection takes no other request: the client has to open a new one. */
  letGo(): void
  /** Ends the response at once, complete or not. */
  cut(): void
}
