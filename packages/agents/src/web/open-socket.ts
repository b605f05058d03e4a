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

export type Connect = (options: TcpNetConnectOpts) => Socket

export type SocketOptions = {
  readonly connect?: Connect | undefined
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string | undefined
}

/** Connects to one of the given addresses and to nothing else; for https, with the certificate checked. */
export async function openSocket(
  { target, addresses }: { readonly target: Target; readonly addresses: readonly string[] },
  { connect = netConnect, ca }: SocketOptions,
  signal: AbortSignal,
): Promise<Socket> {
  // The name is not looked up again: its answer may differ from the one that was checked.
  const lookup = answerWith(addresses)
  const socket = quiet(connect({ host: target.host, port: target.port, lookup, autoSelectFamily: true }))
  try {
    await once(socket, 'connect', { signal })
    checkRemote(socket, addresses)
    if (target.url.protocol === 'http:') return socket
    const secure = quiet(tlsConnect({ ...identityOf(target.host), socket, ca, rejectUnauthorized: true }))
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    socket.destroy()
    throw error
  }
}

// Between two awaited events nobody listens, and an error that nobody hears would end the process.
function quiet<T extends Socket>(socket: T): T {
  return socket.on('error', () => {})
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map(address => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const [first] = answers
    if (options.all === true || first === undefined) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}

// Cannot fail as long as a connection goes where `lookup` says. It is checked before the first byte is sent.
function checkRemote(socket: Socket, addresses: readonly string[]): void {
  if (socket.remoteAddress === undefined)
    throw new WebAccessError('network', 'The server closed the connection.')
  const remote = canonicalAddress(socket.remoteAddress)
  if (remote === undefined || !addresses.some(address => canonicalAddress(address) === remote)) {
    throw blockedAddress()
  }
}

function identityOf(host: string): { readonly host: string; readonly servername: string } {
  // TLS names hosts without the final dot, and addresses not at all.
  return { host, servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }
}
