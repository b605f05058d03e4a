import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isRecord } from '@throughline/protocol'
import { responseSink } from '../../stream/bytes/response-sink.ts'
import { closedSink } from '../../stream/bytes/stream-sink.ts'
import { isLoopbackHost } from '../guards/origin.ts'
import type { Connection } from '../request/connection.ts'

interface NodeConnectionOptions {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly basePath: string
}

/** Returns a connection of Node's HTTP server. Streams are written to Node's response directly. */
export function nodeConnection({ incoming, outgoing, basePath }: NodeConnectionOptions): Connection {
  const left = new AbortController()
  if (outgoing.destroyed) left.abort()
  else outgoing.once('close', () => left.abort())
  return {
    basePath,
    isRemote: isRemote(incoming),
    address: incoming.socket.remoteAddress,
    closed: left.signal,
    body: () => bodyOf(incoming),
    receivedBytes: () => incoming.socket.bytesRead,
    openStream(headers, status = 200) {
      if (outgoing.headersSent) return { sink: closedSink, response: RESPONSE_ALREADY_SENT }
      // The head promises whether the connection is kept, and the process may go down before the stream ends. If it closed
      // a connection that it has promised to keep, a proxy might be sending the next request on it, and show a 502.
      outgoing.writeHead(status, { ...headers, connection: 'close' })
      outgoing.flushHeaders()
      return { sink: responseSink(outgoing), response: RESPONSE_ALREADY_SENT }
    },
    onSent: callback => void outgoing.once('finish', callback),
    letGo() {
      if (!outgoing.headersSent) outgoing.setHeader('connection', 'close')
    },
    cut: () => void outgoing.destroy(),
  }
}

/** A connection without an address is a Unix socket, or one that a test has made up. */
function isRemote({ socket }: IncomingMessage): boolean {
  const { remoteAddress } = socket
  // Servers for IPv6 and IPv4 see IPv4 addresses in this form.
  return remoteAddress !== undefined && !isLoopbackHost(remoteAddress.replace(/^::ffff:/, ''))
}

/**
 * Returns the bytes of a body. If a body parser of the application has read them already, such as `express.json()`,
 * what it parsed is encoded again.
 */
async function* bodyOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  const parsed = incoming.readableEnded && 'body' in incoming ? incoming.body : undefined
  if (parsed instanceof Uint8Array) yield parsed
  else if (typeof parsed === 'string') yield Buffer.from(parsed)
  else if (isRecord(parsed)) yield Buffer.from(JSON.stringify(parsed))
  // A client that is still sending must see the response. So its connection is not closed when reading ends early.
  else yield* incoming.iterator({ destroyOnReturn: false })
}
