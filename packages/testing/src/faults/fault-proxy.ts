import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@throughline/agents/testing'

/**
 * What happens to one connection. Bytes of both directions are counted together, so a fault may also hit the request.
 */
export type Fault =
  | { readonly type: 'none' }
  /** Delays every piece. */
  | { readonly type: 'latency'; readonly delayMs: number }
  /** Writes every byte separately. */
  | { readonly type: 'trickle' }
  /** Ends the connection properly on both sides. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** Resets the connection on both sides. */
  | { readonly type: 'reset'; readonly afterBytes: number }
  /** Stops passing bytes on, and leaves the connection open on both sides. */
  | { readonly type: 'black-hole'; readonly afterBytes: number }
  /** Keeps the bytes of a direction, and passes them on when the fault is over, as networks do after a partition. */
  | { readonly type: 'hold'; readonly from: Side | 'both' }

type Side = 'client' | 'upstream'

export interface FaultProxy extends AsyncDisposable {
  readonly url: string
  /** The number of connections so far. */
  readonly connectionCount: number
  /** The number of connections that are open now. */
  readonly openCount: number
  /** Resets every open connection. */
  resetAll(): void
  /**
   * From now on all connections have this fault: new ones, and those that are open. A connection that a black hole has
   * swallowed stays dead, also after the fault was changed to `none`.
   */
  disturb(fault: Fault): void
  /** From now on new connections lead to another server. Those that are open stay. */
  moveTo(target: string): void
}

/**
 * Starts a TCP proxy in front of a server, on a free port. It disturbs connections as it is told, but changes no
 * byte.
 */
export async function startFaultProxy(
  target: string,
  chooseFault: (connection: number) => Fault = () => ({ type: 'none' }),
): Promise<FaultProxy> {
  let upstreamUrl = new URL(target)
  const closing = new AbortController()
  const links = new Set<Link>()
  let connectionCount = 0
  let faultOfAll: Fault | undefined

  const server = createServer(client => {
    const link: Link = {
      client,
      upstream: connect(Number(upstreamUrl.port), upstreamUrl.hostname),
      fault: faultOfAll ?? chooseFault(connectionCount),
      changed: Promise.withResolvers(),
      byteCount: 0,
    }
    connectionCount += 1
    links.add(link)
    for (const socket of [link.client, link.upstream]) {
      socket.setNoDelay(true)
      // Broken connections are expected here. The other side is reset too. A proper end is passed on after its bytes.
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
    disturb(fault) {
      faultOfAll = fault
      for (const link of links) change(link, fault)
    },
    moveTo(target) {
      upstreamUrl = new URL(target)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const link of links) {
        // What waits for the end of a fault does not wait any more.
        change(link, { type: 'none' })
        reset(link)
      }
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns a fault for each connection. The same seed gives the same faults. Later connections have no fault. */
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
  fault: Fault
  /** Resolves when the link gets another fault. */
  changed: PromiseWithResolvers<void>
  byteCount: number
}

function change(link: Link, fault: Fault): void {
  link.fault = fault
  link.changed.resolve()
  link.changed = Promise.withResolvers()
}

function forward(link: Link, side: Side, closing: AbortSignal): void {
  copy(link, side, closing).catch(() => reset(link))
}

async function copy(link: Link, side: Side, closing: AbortSignal): Promise<void> {
  const to = side === 'client' ? link.upstream : link.client
  for await (const bytes of link[side]) {
    for (const piece of piecesOf(link, bytes)) {
      await delay(link.fault)
      await untilReleased(link, side)
      link.byteCount += piece.length
      if (!to.write(piece)) await once(to, 'drain')
    }
    if (hasStruck(link)) await strike(link, closing)
  }
  await untilReleased(link, side)
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
  // Waits one turn of the event loop between two bytes. Otherwise the system may send them together.
  if (fault.type === 'trickle') await nextTurn()
}

async function untilReleased(link: Link, side: Side): Promise<void> {
  while (link.fault.type === 'hold' && (link.fault.from === 'both' || link.fault.from === side))
    await link.changed.promise
}

function hasStruck({ fault, byteCount }: Link): boolean {
  return 'afterBytes' in fault && byteCount >= fault.afterBytes
}

async function strike(link: Link, closing: AbortSignal): Promise<void> {
  if (link.fault.type === 'reset') return reset(link)
  if (link.fault.type === 'black-hole') {
    // Waits here: reading on would take more bytes from the sender, and leaving the loop would close the connection.
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
