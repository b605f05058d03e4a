import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { untilAborted } from '@throughline/protocol/internal'
import { canonicalAddress, isPublicAddress } from './address-guard.ts'
import type { Target } from './check-target.ts'
import { WebAccessError } from './web-access-error.ts'

/** Returns all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** How the addresses of a host are found and checked. */
export type AddressOptions = {
  /** The lookup of host names. Default: that of the system. */
  readonly resolve?: Resolve | undefined
  /**
   * Returns the addresses of this machine. They are refused even if they are public, because a request from here does
   * not pass the firewall of the machine. Default: the addresses of all network interfaces.
   */
  readonly ownAddresses?: (() => readonly string[]) | undefined
}

/**
 * Returns the addresses of a target. Throws a `WebAccessError` if one of them is not public or belongs to this machine,
 * also when all others are fine, and if the name has no address. A host that the operator allowed by name may have any
 * address. Throws the signal's reason when the signal aborts.
 */
export async function checkedAddresses(
  target: Target,
  options: AddressOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted()
  const addresses = isIP(target.host) === 0 ? await addressesOf(target.host, options, signal) : [target.host]
  if (target.isNamed) return addresses
  if (!addresses.every(isPublicAddress) || isOwn(addresses, options.ownAddresses ?? interfaceAddresses)) {
    throw blockedAddress()
  }
  return addresses
}

/** Returns the error for a closed address. It does not name the address, which would tell what is inside a network. */
export function blockedAddress(): WebAccessError {
  const message =
    'This host is not on the public internet, so it is not fetched. The operator can allow a host by its name.'
  return new WebAccessError('blocked-address', message)
}

async function addressesOf(host: string, { resolve = systemResolve }: AddressOptions, signal: AbortSignal) {
  const addresses = await untilAborted(resolve(host), signal).catch(() => [])
  signal.throwIfAborted()
  if (addresses.length === 0 || addresses.some(address => isIP(address) === 0)) {
    throw new WebAccessError('dns', 'The name of the host could not be found. Check its spelling.')
  }
  return addresses
}

function isOwn(addresses: readonly string[], ownAddresses: () => readonly string[]): boolean {
  const own = new Set(ownAddresses().map(canonicalAddress))
  return addresses.some(address => own.has(canonicalAddress(address)))
}

// Uses the lookup of the system, which also reads the hosts file. So the checked addresses are those that a connection
// would use.
async function systemResolve(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({ address }) => address))
}
