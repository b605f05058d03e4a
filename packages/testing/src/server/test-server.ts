import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOwnerId, type OwnerId } from '@throughline/protocol/ids'
import { type ServerOptions, startServer } from '@throughline/server/start-server'
import { openStore, type Store } from '@throughline/store/open-store'
import { pino } from 'pino'
import { scriptedAgent, textToolText } from '../agent/scripted-agent.ts'

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'store' | 'port'>> {
  /** Wraps the store before the server gets it, for example with a wait that forces a race. */
  readonly wrapStore?: (store: Store) => Store
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly store: Store
  /** Closes only the server, as a signal would. Disposing also closes the store and removes its folder. */
  close(): Promise<void>
}

/** Starts a real server on a free port, with a real database in its own folder. Only the agents are scripted. */
export async function startTestServer({
  wrapStore = store => store,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  const store = await openStore(folder)
  const dispose = async () => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  try {
    const server = await startServer({
      agents: defaultAgents(),
      logger: pino({ level: 'silent' }),
      ...options,
      store: wrapStore(store),
      port: 0,
    })
    return {
      url: server.url,
      store,
      close: () => server.close(),
      async [Symbol.asyncDispose]() {
        await server.close()
        await dispose()
      },
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

export function defaultAgents() {
  return [scriptedAgent('assistant', textToolText)]
}

export function ownerIdOf(name: string): OwnerId {
  if (!isOwnerId(name)) throw new TypeError(`"${name}" is not an owner id.`)
  return name
}
