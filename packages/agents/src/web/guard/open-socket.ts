import { once } from 'node:events'
import {
  isIP,
  type LookupFunction,
  connect as netConnect,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { canonicalAddress } from './address-guard.ts'
import type { Target } from './check-target.ts'
import { blockedAddress } from './checked-addresses.ts'
import { WebAccessError } from './web-access-error.ts'

/** Opens a TCP connection, like `connect` of node:net. */
export type Connect = (options: TcpNetConnectOpts) => Socket

/** How a connection is opened. */
export type SocketOptions = {
  /** Default: `connect` of node:net. */
  readonly connect?: Connect | undefined
  /** PEM certificates to trust. Default: those that Node trusts. */
  readonly ca?: string | undefined
}

/**
 * Connects to one of the given addresses and to no other. For an https URL, it also starts TLS and checks the
 * certificate. Returns the socket, ready for the request. Throws when the connection fails or the signal aborts.
 */
export async function openSocket(
  { target, addresses }: { readonly target: Target; readonly addresses: readonly string[] },
  { connect = netConnect, ca }: SocketOptions,
  signal: AbortSignal,
): Promise<Socket> {
  // The name is not looked up again: a second lookup could return addresses that were not checked (DNS rebinding).
  const lookup = lookupReturning(addresses)
  const socket = ignoringErrors(
    connect({ host: target.host, port: target.port, lookup, autoSelectFamily: true }),
  )
  try {
    await once(socket, 'connect', { signal })
    checkRemote(socket, addresses)
    if (target.url.protocol === 'http:') return socket
    const secure = ignoringErrors(
      tlsConnect({ ...identityOf(target.host), socket, ca, rejectUnauthorized: true }),
    )
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    socket.destroy()
    throw error
  }
}

// Between two awaited events there is no other listener, and an "error" event without a listener ends the process.
function ignoringErrors<T extends Socket>(socket: T): T {
  return socket.on('error', () => {})
}

function lookupReturning(addresses: readonly string[]): LookupFunction {
  const found = addresses.map(address => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const [first] = found
    if (options.all === true || first === undefined) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

// A second line of defence, before the first byte is sent. It never fails as long as `connect` uses `lookup`.
function checkRemote(socket: Socket, addresses: readonly string[]): void {
  if (socket.remoteAddress === undefined)
    throw new WebAccessError('network', 'The server closed the connection.')
  const remote = canonicalAddress(socket.remoteAddress)
  if (remote === undefined || !addresses.some(address => canonicalAddress(address) === remote)) {
    throw blockedAddress()
  }
}

function identityOf(host: string): { readonly host: string; readonly servername: string } {
  // In TLS, a server name has no final dot, and an address is not a server name.
  return { host, servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }
}
