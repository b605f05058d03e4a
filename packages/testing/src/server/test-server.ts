import { isOwnerId, type OwnerId } from '@throughline/protocol'
import { type ServerOptions, startServer } from '@throughline/server'
import type { Store } from '@throughline/store/testing'
import { pino } from 'pino'
import { scriptedAgent, textToolText } from '../agent/scripted-agent.ts'
import { type TemporaryStore, temporaryStore } from '../store/temporary-store.ts'

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'store' | 'port'>> {
  /** Opens the store. Default: one in SQLite. */
  readonly openStore?: () => Promise<TemporaryStore>
  /** Wraps the store before the server gets it, for example with a wait that forces a race. */
  readonly wrapStore?: (store: Store) => Store
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly metricsUrl: string | undefined
  readonly store: Store
  /** Closes only the server, as a signal would. Disposing also closes the store and removes its folder. */
  close(): Promise<void>
}

/** Starts a real server on a free port, with a real database in its own folder. Only the agents are scripted. */
export async function startTestServer({
  openStore = temporaryStore,
  wrapStore = store => store,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const context = await openStore()
  const { store } = context
  const dispose = () => context[Symbol.asyncDispose]()
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
      metricsUrl: server.metricsUrl,
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
