import type { FaultProxy } from '../faults/fault-proxy.ts'

/** Returns the URL of a database through a proxy. */
export function proxiedUrl(databaseUrl: string, proxy: FaultProxy): string {
  const url = new URL(databaseUrl)
  const { hostname, port } = new URL(proxy.url)
  url.hostname = hostname
  url.port = port
  return url.href
}
