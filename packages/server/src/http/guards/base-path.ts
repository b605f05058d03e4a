import { StartError } from '../../refusals/start-error.ts'

/**
 * Returns a base path in the form that the server works with: `/ai`, or empty for the root. Throws a `StartError` when
 * it cannot be the beginning of a path.
 */
export function basePathFrom(given: string): string {
  const path = given.replace(/\/+$/, '')
  const segments = path.split('/').slice(1)
  const isPath = path === '' || /^(\/[\w.~-]+)+$/.test(path)
  if (isPath && !segments.some(each => each === '.' || each === '..')) return path
  throw new StartError(
    'basePath',
    `basePath is ${JSON.stringify(given)}, and must be a path such as "/ai": "/" and then letters, digits, ".", "_", "~" or "-".`,
  )
}

/** Returns whether a path, or the URL of a request, is the base path or below it. */
export function isBelow(basePath: string, url: string): boolean {
  if (basePath === '') return true
  const [sent = ''] = url.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1)
  const path = resolved(sent)
  return path === basePath || path.startsWith(`${basePath}/`)
}

/**
 * Returns a path without dot segments, as the app will see it. A raw request may have them, also as `%2e`: without this,
 * `/ai/../api/status` would be below `/ai`, and be served as `/api/status`.
 */
function resolved(path: string): string {
  if (!/\.|%2e|\\/i.test(path)) return path
  const base = 'http://localhost'
  return URL.canParse(`${base}${path}`) ? new URL(`${base}${path}`).pathname : ''
}

/** Returns the rest of a path that is the base path or below it. Any other path becomes empty, which no route has. */
export function withoutBase(basePath: string, path: string): string {
  return isBelow(basePath, path) ? path.slice(basePath.length) || '/' : ''
}

/** The addresses of a request of Node. Express and Connect keep the whole one in `originalUrl`. */
export interface MountedRequest {
  readonly url?: string | undefined
  readonly originalUrl?: unknown
}

/** Returns the URL of a request as the client sent it. Where a handler is mounted, frameworks remove that path from `url`. */
export function wholeUrl({ url = '', originalUrl }: MountedRequest): string {
  return typeof originalUrl === 'string' ? originalUrl : url
}

/** Returns the part of the base path that is still in the `url` of a request. */
export function remainingBase(basePath: string, request: MountedRequest): string {
  const { url = '' } = request
  const whole = wholeUrl(request)
  // For the mount path itself, frameworks replace "/ai" with "/".
  const removed = whole.endsWith(url) ? whole.length - url.length : basePath.length
  return basePath.slice(removed)
}
