/** What a request says about where it comes from. */
export interface RequestSource {
  readonly method: string
  readonly header: (name: string) => string | undefined
}

/**
 * Whether the page that sends this request may use the server. `hosts` are the names of this server, without port.
 * docs/decisions/0007-origins.md says why each rule is safe.
 */
export function isOwnPage({ method, header }: RequestSource, hosts: readonly string[]): boolean {
  const origin = header('origin')
  if (origin === undefined) return !isForeignSubresource(header)
  const host = header('host') ?? ''
  if (origin === `http://${host}` || origin === `https://${host}`) return true
  // A proxy may have replaced the Host. Then two things must be true: the page has one of our names, and the browser
  // says that the page asked its own origin, or asked something that any foreign page needs a permission for.
  if (!hasOwnName(origin, { host, hosts })) return false
  switch (header('sec-fetch-site')) {
    case 'same-origin':
      return true
    case 'same-site':
      return needsPreflight({ method, header })
    default:
      return false
  }
}

/** The name in a Host header or in an origin, without its port. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

/** Whether a name can only mean the machine that uses it. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** What browsers send for other sites without an Origin, such as images. Links are fine: their reader is a person. */
function isForeignSubresource(header: RequestSource['header']): boolean {
  return header('sec-fetch-site') === 'cross-site' && header('sec-fetch-mode') !== 'navigate'
}

/** A loopback page may use a server under a loopback name. Other pages must be under a name that the server was given. */
function hasOwnName(origin: string, { host, hosts }: { host: string; hosts: readonly string[] }): boolean {
  const [, authority = ''] = /^https?:\/\/([\w.:[\]-]+)$/i.exec(origin) ?? []
  const name = hostName(authority)
  return isLoopback(name) ? isLoopback(hostName(host)) : hosts.includes(name)
}

/** Whether a browser asks the server for permission before it sends this for a page of another origin. */
function needsPreflight({ method, header }: RequestSource): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return method === 'DELETE' || isJson(header('content-type'))
}

/** Forms and scripts without permission cannot send this type to another origin. */
export function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType)
}
