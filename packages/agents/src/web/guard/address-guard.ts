import { BlockList, isIP } from 'node:net'

/**
 * Returns whether an address belongs to the public internet. Takes IPv4 and IPv6 addresses in every notation that
 * Node's `isIP` accepts. Anything else is not public, and neither is an address with a zone id (`fe80::1%eth0`).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closedIPv4.check(address, 'ipv4')
    case 6:
      return isPublicIPv6(address)
    default:
      return false
  }
}

/**
 * Returns the same text for all notations of one address, so that addresses can be compared. The zone id, which names a
 * network interface, is ignored. Returns undefined if the text is not an address.
 */
export function canonicalAddress(address: string): string | undefined {
  if (isIP(address) === 4) return address
  const groups = groupsOf(address.replace(/%.*$/s, ''))
  if (groups === undefined) return undefined
  return embeddedIPv4(groups, mapped) ?? groups.map(group => group.toString(16)).join(':')
}

function isPublicIPv6(address: string): boolean {
  const groups = groupsOf(address)
  if (groups === undefined) return false
  // Such an address stands for an IPv4 address, so that one is checked. NAT64 lets a host without IPv4 reach IPv4.
  const carried = embeddedIPv4(groups, mapped) ?? embeddedIPv4(groups, nat64)
  if (carried !== undefined) return !closedIPv4.check(carried, 'ipv4')
  return openIPv6.check(address, 'ipv6') && !closedIPv6.check(address, 'ipv6')
}

const closedIPv4 = subnets('ipv4', [
  ['0.0.0.0', 8], // this network; on Linux, 0.0.0.0 reaches the machine itself
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT, and the metadata service of one cloud
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // the host agent of one cloud; its neighbours are public
  ['169.254.0.0', 16], // link-local, and most metadata services
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments, and the metadata service of one cloud
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
])

// All public IPv6 addresses are in this range. Outside of it are: loopback, unspecified, IPv4-compatible, discard
// (100::/64), local NAT64 (64:ff9b:1::/48), unique local, link-local, site-local and multicast addresses, and all
// ranges that are not assigned yet.
const openIPv6 = subnets('ipv6', [['2000::', 3]])

const closedIPv6 = subnets('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which contains an IPv4 address that may be private
  ['3ffe::', 16], // the former 6bone
  ['3fff::', 20], // documentation
])

const mapped = [0, 0, 0, 0, 0, 0xffff] as const
const nat64 = [0x64, 0xff9b, 0, 0, 0, 0] as const

function subnets(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}

/** Returns the eight groups of an IPv6 address, or undefined if it is not one. */
function groupsOf(address: string): readonly number[] | undefined {
  // The URL parser reads every notation, also one with a dotted IPv4 address at its end. It refuses zone ids.
  const hostname = isIP(address) === 6 ? URL.parse(`http://[${address}]/`)?.hostname : undefined
  if (hostname === undefined) return undefined
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const before = numbersOf(head)
  if (tail === undefined) return before
  const after = numbersOf(tail)
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function numbersOf(groups: string): readonly number[] {
  return groups === '' ? [] : groups.split(':').map(group => Number.parseInt(group, 16))
}

/** Returns the IPv4 address in the last two groups, if the groups before them are this prefix. */
function embeddedIPv4(groups: readonly number[], prefix: readonly number[]): string | undefined {
  if (!prefix.every((group, index) => groups[index] === group)) return undefined
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 0xff])
    .join('.')
}
