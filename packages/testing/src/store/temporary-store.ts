import { openPostgresStore, type Store } from '@throughline/store/testing'
import { migratedTestDatabase } from '../postgres/test-database.ts'
import { openTestStore } from './open-test-store.ts'
import { temporaryDatabase, temporaryPostgres } from './temporary-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A store of its own for one test. Disposing closes it, and removes everything. */
export interface TemporaryStore extends AsyncDisposable {
  readonly store: Store
  readonly folder: string
  /**
   * Opens the store as another process would: in SQLite after `store` was closed, in Postgres also beside it. Disposing
   * closes what the test has left open.
   */
  reopen(): Promise<Store>
}

/** Opens a store on a real file in its own folder. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const folder = await temporaryFolder()
  return temporaryStoreOf(folder, () => openTestStore(folder.path))
}

/** Opens a store in its own database of a real Postgres server. */
export async function temporaryPostgresStore(): Promise<TemporaryStore> {
  const database = await migratedTestDatabase()
  const folder = await temporaryFolder()
  const both = {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
  return temporaryStoreOf(both, () => openPostgresStore(database.url))
}

/** What every test of a store runs on: `describe.each(temporaryStores)('on $name', …)`. */
export const temporaryStores = [
  { name: 'SQLite', temporaryStore, temporaryDatabase },
  { name: 'Postgres', temporaryStore: temporaryPostgresStore, temporaryDatabase: temporaryPostgres },
] as const

async function temporaryStoreOf(
  folder: { readonly path: string } & AsyncDisposable,
  open: () => Promise<Store>,
): Promise<TemporaryStore> {
  const store = await open()
  const opened = [store]
  return {
    store,
    folder: folder.path,
    async reopen() {
      const next = await open()
      opened.push(next)
      return next
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
