import { WebAccessError } from './web-access-error.ts'

/** Where a request goes, after everything the URL alone can tell has been checked. */
export type Target = {
  readonly url: URL
  /** A name or an address, without the brackets of IPv6. */
  readonly host: string
  readonly port: number
  /** The operator named this host, so its addresses are not checked. */
  readonly isNamed: boolean
}

const maxUrlLength = 4096

export function checkTarget(text: string, allowHosts: readonly string[]): Target {
  if (text.length > maxUrlLength) {
    throw new WebAccessError('invalid-url', `The URL is longer than ${maxUrlLength} characters.`)
  }
  // Parsing also turns decimal, octal, hexadecimal, short and full-width forms of an IPv4 address into the usual one.
  const url = URL.parse(text)
  if (url === null) {
    throw new WebAccessError(
      'invalid-url',
      'This is not a URL. Give a full one, such as https://example.com/page.',
    )
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WebAccessError('blocked-scheme', 'Only http and https URLs can be fetched.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new WebAccessError('credentials', 'The URL contains a user name or password, which are never sent.')
  }
  const port = portOf(url)
  const isNamed = allowHosts.some(entry => names(entry, url))
  if (!isNamed && !isOpenPort(port)) {
    throw new WebAccessError('blocked-port', `Port ${port} is not one that web pages are fetched from.`)
  }
  url.hash = ''
  return { url, host: url.hostname.replace(/^\[|\]$/g, ''), port, isNamed }
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/**
 * An entry is `host` (then only the usual port of the scheme is meant) or `host:port`. The name must be the same to the
 * letter: `localhost` allows neither `localhost.` nor `127.0.0.1`, and `example.com` allows no `www.example.com`.
 */
function names(entry: string, url: URL): boolean {
  const named = URL.parse(`http://${entry}/`)
  if (named?.hostname !== url.hostname) return false
  const port = /:(\d+)$/.exec(entry)?.[1]
  return port === undefined ? url.port === '' : Number(port) === portOf(url)
}

/** 80, 443 and what servers without privileges use, less what speaks another protocol that an HTTP request may reach. */
function isOpenPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !closedPorts.has(port))
}

const closedPorts: ReadonlySet<number> = new Set([
  // What browsers refuse (the Fetch standard's "bad ports"): H.323, PPTP, NFS, mail filters, SIP, X11, IRC, Amanda.
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
    6697, 10080,
  ],
  // Databases, caches and queues: SQL Server, Oracle, MySQL, Postgres, AMQP, Redis, Cassandra, Kafka, Elasticsearch,
  // Memcached, MongoDB.
  ...[1433, 1521, 3306, 5432, 5672, 6379, 9042, 9092, 9200, 9300, 11211, 27017, 27018, 27019],
  // Control of machines: Docker, etcd, RDP, VNC, the Kubernetes API and kubelet.
  ...[2375, 2376, 2379, 2380, 3389, 5900, 6443, 10250, 10255],
])
