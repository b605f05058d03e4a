import { StartError } from '../../refusals/start-error.ts'
/** The parts of a request that show where it comes from. */
export interface RequestSource {
  readonly method: string
  readonly header: (name: string) => string | undefined
}

/** The names of this server, without port, and the other origins whose pages may use it. */
export interface AllowedPages {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/**
 * Returns whether the page that sends this request may use the server. docs/decisions/0007-origins.md says why each rule
 * is safe.
 */
export function isAllowedPage({ method, header }: RequestSource, { hosts, origins }: AllowedPages): boolean {
  const origin = header('origin')
  if (origin === undefined) return !isForeignSubresource(header)
  if (origins.includes(origin)) return true
  const host = header('host') ?? ''
  if (origin === `http://${host}` || origin === `https://${host}`) return true
  // A proxy may have replaced the Host. Then two things must be true: the page has one of our names, and the browser
  // says that the request goes to the page's own origin, or the request is one that browsers do not send to another
  // origin without a preflight.
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

/** Returns the name in a Host header or in an origin, without its port. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

/** Returns whether a name always means the machine that uses it. */
export function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/**
 * Returns whether a page of another origin loads this as a part of it, such as an image. Browsers send no Origin then, but
 * they do send cookies. Links are allowed, because a person follows them.
 */
function isForeignSubresource(header: RequestSource['header']): boolean {
  const site = header('sec-fetch-site')
  return (site === 'cross-site' || site === 'same-site') && header('sec-fetch-mode') !== 'navigate'
}

/**
 * Returns whether a page has one of our names. A page under a loopback name may use a server under a loopback name.
 * Other pages need a name that the server was given.
 */
function hasOwnName(origin: string, { host, hosts }: { host: string; hosts: readonly string[] }): boolean {
  const [, authority = ''] = /^https?:\/\/([\w.:[\]-]+)$/i.exec(origin) ?? []
  const name = hostName(authority)
  return isLoopbackHost(name) ? isLoopbackHost(hostName(host)) : hosts.includes(name)
}

/** Returns whether browsers send a preflight before this request if it goes to another origin. */
function needsPreflight({ method, header }: RequestSource): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return method === 'DELETE' || isJson(header('content-type'))
}

/** Returns whether the content type is JSON. Browsers send JSON to another origin only after a preflight. */
export function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType)
}

/**
 * Throws a `StartError` for the first text that no browser sends as an `Origin`. Such an entry would never match, so its
 * pages would be refused without a reason that anybody can see.
 */
export function assertOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    const issue = issueOf(origin)
    if (issue !== undefined)
      throw new StartError('origins', `origins (THROUGHLINE_ORIGINS): ${JSON.stringify(origin)} ${issue}`)
  }
}

/** Returns what is wrong with an origin and what to write instead; `undefined` when it is right. */
function issueOf(origin: string): string | undefined {
  if (origin.includes('*'))
    return 'has a "*". Name every origin by itself, such as "https://app.example": these pages act for whoever has them open.'
  if (origin === 'null')
    return 'stands for every page without an origin, such as a file. Serve the page from an address, and write that.'
  const url = URL.parse(origin)
  if (url === null || !/^https?:\/\//i.test(origin)) return withoutScheme(origin)
  return url.origin === origin ? undefined : `is not an origin. Write ${JSON.stringify(url.origin)}.`
}

/** `localhost:5173` is a URL too, with the scheme `localhost:`. So the text is tried as the name of a host. */
function withoutScheme(text: string): string {
  const isOtherScheme = /^[a-z][\w+.-]*:\/\//i.test(text)
  const url = isOtherScheme ? null : URL.parse(`https://${text}`)
  return url === null || url.hostname === ''
    ? 'is not an origin. Write a scheme and a host, such as "https://app.example" or "http://localhost:5173".'
    : `has no scheme. Write ${JSON.stringify(url.origin)} or ${JSON.stringify(`http://${url.host}`)}.`
}
