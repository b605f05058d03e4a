// These headers belong to one connection, and a proxy has two. Node sets the length or the chunking of the body itself.
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
  // It would make the browser use another protocol, around the proxy.
  'alt-svc',
])

/** Returns the headers that a proxy passes on, as a flat list of names and values. */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ''
    return !hopByHop.has(name.toLowerCase())
  })
}
