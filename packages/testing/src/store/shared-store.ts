import { openPostgresStore, type Store } from '@throughline/store/testing'
import { migratedTestDatabase } from '../postgres/test-database.ts'
import { openTestStore } from './open-test-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface SharedStore extends AsyncDisposable {
  readonly store: Store
  /** Returns the time of the clock of the database, in milliseconds. */
  now(): number
  /** Lets time pass for this clock. */
  pass(ms: number): void
}

/**
 * Opens a store that several nodes of this process share, as processes share one on Postgres. Its time stands still
 * until `pass` is called.
 */
export async function sharedStore(): Promise<SharedStore> {
  const folder = await temporaryFolder()
  const clock = handClock()
  const store = await openTestStore(folder.path, { clock: clock.now })
  return {
    ...clock,
    store: { ...store, isShared: true },
    async [Symbol.asyncDispose]() {
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** The same on a real Postgres server. */
async function sharedPostgresStore(): Promise<SharedStore> {
  const database = await migratedTestDatabase()
  const clock = handClock()
  const store = await openPostgresStore(database.url, { clock: clock.now })
  return {
    ...clock,
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** What every test of nodes runs on: `describe.each(sharedStores)('on $name', …)`. */
export const sharedStores = [
  { name: 'SQLite', sharedStore },
  { name: 'Postgres', sharedStore: sharedPostgresStore },
] as const

function handClock() {
  let nowMs = Date.UTC(2026, 0, 1)
  return {
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}
