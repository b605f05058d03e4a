import { type ServerOptions, startServer } from '@throughline/server'
import type { Store } from '@throughline/store/testing'
import { pino } from 'pino'
import { temporaryPostgresStore, temporaryStore } from '../store/temporary-store.ts'
import { defaultAgents } from './test-server.ts'

export interface NodesOptions extends Partial<Omit<ServerOptions, 'store' | 'port'>> {
  /** Opens the store of each node. By default both share one that is open once. */
  readonly open?: (() => Promise<NodeStores>) | undefined
  /** Wraps the store before a node gets it. */
  readonly wrapStore?: (store: Store) => Store
}

/** The store of each node. Both have the same data. */
export interface NodeStores extends AsyncDisposable {
  readonly first: Store
  readonly second: Store
}

/** What tests with two nodes run on: `describe.each(sharedStores)('on $name', …)`. */
export const sharedStores = [
  { name: 'SQLite, open once', open: openOnce },
  { name: 'Postgres, open twice', open: openTwice },
] as const

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
  open = openOnce,
  wrapStore = store => store,
  ...options
}: NodesOptions = {}): Promise<Nodes> {
  const stores = await open()
  const start = (store: Store) =>
    startServer({
      agents: defaultAgents(),
      logger: pino({ level: 'silent' }),
      drainMs: 0,
      finishMs: 0,
      ...options,
      store: wrapStore(store),
      port: 0,
    })
  const first = await start(stores.first)
  const second = await start(stores.second)
  return {
    store: stores.second,
    first: first.url,
    second: second.url,
    closeFirst: () => first.close(),
    async [Symbol.asyncDispose]() {
      await first.close()
      await second.close()
      await stores[Symbol.asyncDispose]()
    },
  }
}

async function openOnce(): Promise<NodeStores> {
  const { store, ...fixture } = await temporaryStore()
  return { ...fixture, first: store, second: store }
}

async function openTwice(): Promise<NodeStores> {
  const { store, ...fixture } = await temporaryPostgresStore()
  return { ...fixture, first: store, second: await fixture.reopen() }
}

/** Wraps a store so that no ring arrives. Then only the rows tell a node what another one did. */
export function withoutBells(store: Store): Store {
  const nothing = () => undefined
  const unlisten = () => nothing
  return {
    ...store,
    signals: {
      ring: nothing,
      onRing: unlisten,
      onOwnerRing: unlisten,
      ringNodes: nothing,
      onNodes: unlisten,
    },
  }
}
