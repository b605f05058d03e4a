import { type ServerOptions, startServer } from '@throughline/server/start-server'
import type { Store } from '@throughline/store/open-store'
import { pino } from 'pino'
import { temporaryStore } from '../store/temporary-store.ts'
import { defaultAgents } from './test-server.ts'

export interface NodesOptions extends Partial<Omit<ServerOptions, 'store' | 'port'>> {
  /** Opens the store that the nodes share. By default one in its own folder. */
  readonly open?: () => Promise<{ readonly store: Store } & AsyncDisposable>
  /** Wraps the store before a node gets it. */
  readonly wrapStore?: (store: Store) => Store
}

export interface Nodes extends AsyncDisposable {
  readonly store: Store
  /** The addresses of the first and the second node. */
  readonly first: string
  readonly second: string
  /** Closes only the first node, as a signal would. */
  closeFirst(): Promise<void>
}

/** Starts two servers that share a store. A run lives in one of them, and any request may come to any of them. */
export async function startNodes({
  open = temporaryStore,
  wrapStore = store => store,
  ...options
}: NodesOptions = {}): Promise<Nodes> {
  const fixture = await open()
  const start = () =>
    startServer({
      agents: defaultAgents(),
      logger: pino({ level: 'silent' }),
      ...options,
      store: wrapStore(fixture.store),
      port: 0,
    })
  const first = await start()
  const second = await start()
  return {
    store: fixture.store,
    first: first.url,
    second: second.url,
    closeFirst: () => first.close(),
    async [Symbol.asyncDispose]() {
      await first.close()
      await second.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

/** Wraps a store so that no ring arrives. Then only the rows tell a node what another one did. */
export function withoutBells(store: Store): Store {
  return { ...store, signals: { ring: () => undefined, onRing: () => () => undefined } }
}
