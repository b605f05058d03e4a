// They are about one connection, and a proxy stands between two. Node frames the body itself, by its length or in chunks.
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Would tell the browser to come by another way.
  'alt-svc',
])

/** The headers that a proxy passes on, as names and values in turn. */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ''
    return !hopByHop.has(name.toLowerCase())
  })
}
