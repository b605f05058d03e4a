import { encodeSseComment, encodeSseRetry } from '@throughline/protocol'

/** The bytes of a stream that belong to its connection, not to what the stream shows. */
export interface TransportBytes {
  /** Sent once, as soon as the connection is open. May be empty. */
  readonly opening: Uint8Array
  /** Sent whenever the stream has been idle for a while. */
  readonly heartbeat: Uint8Array
}

/**
 * How long an `EventSource` waits before it comes back after a cut, in milliseconds. Browsers wait three seconds or more
 * if nobody tells them.
 */
export const retryMs = 1_000

/** The transport bytes of server-sent events. Readers take neither for an event. */
export const sseTransport: TransportBytes = {
  opening: Buffer.from(encodeSseRetry(retryMs)),
  heartbeat: Buffer.from(encodeSseComment('heartbeat')),
}
