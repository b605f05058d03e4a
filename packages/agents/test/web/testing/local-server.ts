import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'

/** A server on a free port of 127.0.0.1. */
export type LocalServer = AsyncDisposable & {
  readonly port: number
  /** Host and port, as `allowHosts` takes them. */
  readonly host: string
  readonly url: string
  readonly requests: readonly IncomingMessage[]
}

/** Starts a web server on this machine. Tests reach it through `allowHosts`. */
export async function startLocalServer(handle: RequestListener): Promise<LocalServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    handle(request, response)
  })
  const port = await listen(server, '127.0.0.1', 0)
  const host = `127.0.0.1:${port}`
  const close = () => {
    server.closeAllConnections()
    return closed(server)
  }
  return { port, host, url: `http://${host}`, requests, [Symbol.asyncDispose]: close }
}

/** Starts a TCP server. The test decides what is sent on a connection. `requests` stays empty. */
export async function startTcpServer(accept: (socket: Socket) => void): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket.on('error', () => {}))
    accept(socket)
  })
  const port = await listen(server, '127.0.0.1', 0)
  const host = `127.0.0.1:${port}`
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return closed(server)
  }
  return { port, host, url: `http://${host}`, requests: [], [Symbol.asyncDispose]: close }
}

/** Counts the connections and bytes that reach it. */
export type Canary = AsyncDisposable & {
  readonly port: number
  readonly connections: number
  readonly bytes: number
}

/** Starts a server that no request may ever reach. It listens on one port of 127.0.0.1 and, if there is IPv6, of ::1. */
export async function startCanary(): Promise<Canary> {
  let connections = 0
  let bytes = 0
  const accept = (socket: Socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.on('data', data => {
      bytes += data.length
    })
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\ncanary')
  }
  const servers = [createTcpServer(accept), createTcpServer(accept)] as const
  const port = await listen(servers[0], '127.0.0.1', 0)
  const open = [servers[0]]
  // Without IPv6 nothing can reach ::1 either, so the error is ignored.
  await listen(servers[1], '::1', port).then(
    () => open.push(servers[1]),
    () => {},
  )
  return {
    port,
    get connections() {
      return connections
    },
    get bytes() {
      return bytes
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map(closed))
    },
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
  })
}
