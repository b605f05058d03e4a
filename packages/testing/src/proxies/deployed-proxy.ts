import { readFile } from 'node:fs/promises'
import { freePort } from '../server/free-port.ts'
import { startCaddy } from './start-caddy.ts'
import { startNginx } from './start-nginx.ts'

/** The proxies that docs/deploy configures for three nodes. */
export const deployedProxies = ['nginx', 'Caddy'] as const
export type DeployedProxy = (typeof deployedProxies)[number]

const documents = new URL('../../../../docs/deploy/', import.meta.url)

/**
 * Starts a proxy before three nodes on this machine, as docs/deploy configures it. Resolves with the port at which it serves
 * chat.example.
 */
export async function startDeployedProxy(
  name: DeployedProxy,
  nodePorts: readonly number[],
): Promise<{ readonly port: number } & AsyncDisposable> {
  const [start, file] = name === 'nginx' ? [startNginx, 'nginx.conf'] : [startCaddy, 'Caddyfile']
  const config = await readFile(new URL(file, documents), 'utf8')
  const port = await freePort()
  const addresses = Object.fromEntries(
    nodePorts.map((nodePort, index) => [`10.0.0.1${index + 1}:4000`, `127.0.0.1:${nodePort}`]),
  )
  const proxy = await start({ config, port, addresses })
  return { port, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}
