import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { untilAborted } from '@throughline/protocol/until-aborted'
import { canonicalAddress, isPublicAddress } from './address-guard.ts'
import type { Target } from './check-target.ts'
import { WebAccessError } from './web-access-error.ts'

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export type AddressOptions = {
  readonly resolve?: Resolve | undefined
  /** The addresses of this machine: a public one reaches its services from inside its firewall. */
  readonly ownAddresses?: (() => readonly string[]) | undefined
}

/** The addresses of a target, none of which may be closed: a name with one private answer among public ones is refused. */
export async function checkedAddresses(
  target: Target,
  options: AddressOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted()
  const addresses = isIP(target.host) === 0 ? await answersFor(target.host, options, signal) : [target.host]
  if (target.isNamed) return addresses
  if (!addresses.every(isPublicAddress) || isOwn(addresses, options.ownAddresses ?? interfaceAddresses)) {
    throw blockedAddress()
  }
  return addresses
}

/** Says nothing about which address it was: that would show what internal names stand for. */
export function blockedAddress(): WebAccessError {
  const message =
    'This host is not on the public internet, so it is not fetched. The operator can allow a host by its name.'
  return new WebAccessError('blocked-address', message)
}

async function answersFor(host: string, { resolve = systemResolve }: AddressOptions, signal: AbortSignal) {
  const answers = await untilAborted(resolve(host), signal).catch(() => [])
  signal.throwIfAborted()
  if (answers.length === 0 || answers.some(answer => isIP(answer) === 0)) {
    throw new WebAccessError('dns', 'The name of the host could not be found. Check its spelling.')
  }
  return answers
}

function isOwn(addresses: readonly string[], ownAddresses: () => readonly string[]): boolean {
  const own = new Set(ownAddresses().map(canonicalAddress))
  return addresses.some(address => own.has(canonicalAddress(address)))
}

// The system's own lookup, the hosts file included: what is checked must be what a connection would use.
async function systemResolve(hostname: string): Promise<readonly string[]> {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' })
  return answers.map(answer => answer.address)
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({ address }) => address))
}
