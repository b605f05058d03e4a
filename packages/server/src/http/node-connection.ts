import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isRecord } from '@throughline/protocol'
import { responseSink } from '../stream/response-sink.ts'
import type { Connection } from './connection.ts'
import { isLoopback } from './origin.ts'

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
    openStream(headers) {
      outgoing.writeHead(200, headers)
      outgoing.flushHeaders()
      return { sink: responseSink(outgoing), response: RESPONSE_ALREADY_SENT }
    },
    onSent: callback => void outgoing.once('finish', callback),
    cut: () => void outgoing.destroy(),
  }
}

/** A connection without an address is a Unix socket, or one that a test has made up. */
function isRemote({ socket }: IncomingMessage): boolean {
  const { remoteAddress } = socket
  // Servers for IPv6 and IPv4 see IPv4 addresses in this form.
  return remoteAddress !== undefined && !isLoopback(remoteAddress.replace(/^::ffff:/, ''))
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
