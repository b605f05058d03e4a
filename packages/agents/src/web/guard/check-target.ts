import { WebAccessError } from './web-access-error.ts'

/** Where a request goes. Its URL passed the checks of `checkTarget`; its addresses are not checked yet. */
export type Target = {
  readonly url: URL
  /** A host name or an address. An IPv6 address has no brackets here. */
  readonly host: string
  readonly port: number
  /** Whether the operator allowed this host by its name. Then its addresses are not checked. */
  readonly isNamed: boolean
}

const maxUrlLength = 4096

/**
 * Checks all that can be checked without a DNS lookup: the length, the scheme, the port, and that the URL has no
 * credentials. Entries of `allowHosts` are hosts (`intranet.example`) or hosts with a port (`localhost:8080`). Returns
 * the URL without its fragment. Throws a `WebAccessError` for a URL that must not be fetched.
 */
export function checkTarget(text: string, allowHosts: readonly string[]): Target {
  if (text.length > maxUrlLength) {
    throw new WebAccessError('invalid-url', `The URL is longer than ${maxUrlLength} characters.`)
  }
  // The parser also normalises IPv4 addresses: decimal, octal, hexadecimal, short and full-width forms.
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
  const isNamed = allowHosts.some(entry => isNamedBy(entry, url))
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
 * An entry is `host:port`, or `host` for the default port of the scheme. Host names must be equal: `localhost` allows
 * neither `localhost.` nor `127.0.0.1`, and `example.com` does not allow `www.example.com`.
 */
function isNamedBy(entry: string, url: URL): boolean {
  const named = URL.parse(`http://${entry}/`)
  if (named?.hostname !== url.hostname) return false
  const port = /:(\d+)$/.exec(entry)?.[1]
  return port === undefined ? url.port === '' : Number(port) === portOf(url)
}

/**
 * Open are 80, 443 and the ports from 1024 on, which need no privileges. Closed among these are the ports of services
 * that speak another protocol, because an HTTP request could do harm there.
 */
function isOpenPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !closedPorts.has(port))
}

const closedPorts: ReadonlySet<number> = new Set([
  // Ports that browsers refuse, the "bad ports" of the Fetch standard: H.323, PPTP, NFS, mail filters, SIP, X11, IRC,
  // Amanda.
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
