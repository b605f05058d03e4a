import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@throughline/agents/models/demo/seeded-random'

/** What becomes of one connection. Bytes are counted in both directions together, so a fault may hit the request too. */
export type Fault =
  | { readonly type: 'none' }
  /** Every piece arrives later. */
  | { readonly type: 'latency'; readonly delayMs: number }
  /** Every byte is written alone. */
  | { readonly type: 'trickle' }
  /** Both sides are told that the connection has ended. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** Both sides are told that the connection is broken. */
  | { readonly type: 'reset'; readonly afterBytes: number }
  /** Nobody is told anything, and nothing arrives any more. */
  | { readonly type: 'black-hole'; readonly afterBytes: number }

export interface FaultProxy extends AsyncDisposable {
  readonly url: string
  /** How many connections there have been. */
  readonly connectionCount: number
  /** How many there are now. */
  readonly openCount: number
  /** Resets every open connection. */
  resetAll(): void
}

/** A TCP proxy before a server, on a free port. It harms connections as it is told, and never changes a byte. */
export async function startFaultProxy(
  target: string,
  chooseFault: (connection: number) => Fault = () => ({ type: 'none' }),
): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const closing = new AbortController()
  const links = new Set<Link>()
  let connectionCount = 0

  const server = createServer(client => {
    const link: Link = {
      client,
      upstream: connect(Number(port), hostname),
      fault: chooseFault(connectionCount),
      byteCount: 0,
    }
    connectionCount += 1
    links.add(link)
    for (const socket of [link.client, link.upstream]) {
      socket.setNoDelay(true)
      // A broken connection is what this is for. The other side hears of it; an orderly end is passed on with its bytes.
      socket.on('error', () => reset(link))
      socket.once('close', () => {
        if (link.client.closed && link.upstream.closed) links.delete(link)
      })
    }
    forward(link, 'client', closing.signal)
    forward(link, 'upstream', closing.signal)
  })
  const url = await listen(server)

  return {
    url,
    get connectionCount() {
      return connectionCount
    },
    get openCount() {
      return links.size
    },
    resetAll() {
      for (const link of links) reset(link)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const link of links) reset(link)
      server.close()
      await once(server, 'close')
    },
  }
}

/** A fault per connection, the same for the same seed; after the first few, connections are sound. */
export function seededFaults(seed: number, { faultyConnections = 4 } = {}): (connection: number) => Fault {
  const random = seededRandom(seed)
  const faults = Array.from({ length: faultyConnections }, (): Fault => {
    const afterBytes = random.below(random.pick([400, 2_000, 8_000]))
    return random.pick<Fault>([
      { type: 'none' },
      { type: 'latency', delayMs: 1 + random.below(10) },
      { type: 'trickle' },
      { type: 'cut', afterBytes },
      { type: 'reset', afterBytes },
      { type: 'black-hole', afterBytes },
    ])
  })
  return connection => faults[connection] ?? { type: 'none' }
}

interface Link {
  readonly client: Socket
  readonly upstream: Socket
  readonly fault: Fault
  byteCount: number
}

function forward(link: Link, side: 'client' | 'upstream', closing: AbortSignal): void {
  const from = link[side]
  const to = side === 'client' ? link.upstream : link.client
  copy(link, { from, to, closing }).catch(() => reset(link))
}

async function copy(
  link: Link,
  { from, to, closing }: { readonly from: Socket; readonly to: Socket; readonly closing: AbortSignal },
): Promise<void> {
  for await (const bytes of from) {
    for (const piece of piecesOf(link, bytes)) {
      await delay(link.fault)
      link.byteCount += piece.length
      if (!to.write(piece)) await once(to, 'drain')
    }
    if (hasStruck(link)) await strike(link, closing)
  }
  to.end()
}

function* piecesOf(link: Link, bytes: Buffer): Generator<Buffer> {
  const { fault } = link
  const room = 'afterBytes' in fault ? Math.max(0, fault.afterBytes - link.byteCount) : bytes.length
  const allowed = bytes.subarray(0, room)
  const step = fault.type === 'trickle' ? 1 : Math.max(1, allowed.length)
  for (let start = 0; start < allowed.length; start += step) yield allowed.subarray(start, start + step)
}

async function delay(fault: Fault): Promise<void> {
  if (fault.type === 'latency') await pause(fault.delayMs)
  // A turn of the event loop between two bytes: otherwise the system may send them as one.
  if (fault.type === 'trickle') await nextTurn()
}

function hasStruck({ fault, byteCount }: Link): boolean {
  return 'afterBytes' in fault && byteCount >= fault.afterBytes
}

async function strike(link: Link, closing: AbortSignal): Promise<void> {
  if (link.fault.type === 'reset') return reset(link)
  if (link.fault.type === 'black-hole') {
    // Reading on would let the senders go on; leaving the loop would close the connection.
    if (!closing.aborted) await once(closing, 'abort')
    return
  }
  link.client.end()
  link.upstream.end()
}

function reset({ client, upstream }: Link): void {
  client.resetAndDestroy()
  upstream.resetAndDestroy()
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.')
  return `http://127.0.0.1:${address.port}`
}
