import { mkdir } from 'node:fs/promises'
import { HttpClient } from '@throughline/testing/http/http-client'
import type { TorturedServer } from '../server/server-pool.ts'
import type { Place } from './scenario.ts'

/** A server for all cases of a scenario, and a client for it. Disposing kills the server. */
export interface OpenServer extends AsyncDisposable {
  readonly server: TorturedServer
  readonly client: HttpClient
  readonly url: string
}

/** Starts a server that nobody kills. Throws when it does not start. */
export async function openServer(
  { pool, folder }: Pick<Place, 'pool' | 'folder'>,
  options: { readonly name?: string; readonly providerUrl?: string } = {},
): Promise<OpenServer> {
  const { name = 'data', providerUrl } = options
  const data = `${folder}/${name}`
  await mkdir(data, { recursive: true })
  const started = await pool.start({ folder: data, providerUrl })
  if (started.type !== 'open') throw new Error(`The server does not start: ${JSON.stringify(started)}`)
  const { server } = started
  const client = new HttpClient(server.url)
  return {
    server,
    client,
    url: server.url,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      await server.kill()
    },
  }
}

/** Throws when the process of a server has ended, which nothing in these scenarios may bring about. */
export function assertAlive(server: TorturedServer): void {
  if (server.hasEnded()) throw new Error('The server process has ended by itself.')
}
