import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, type StoreLocation } from '@throughline/store'
import { openPostgresStore, type Store } from '@throughline/store/testing'
import { freshDatabase } from '../postgres/fresh-database.ts'
import { migratedTestDatabase } from '../postgres/test-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A store that can be lost. Disposing closes it, and removes everything. */
export interface RestorableStore extends AsyncDisposable {
  /** The store that is open. */
  readonly store: Store
  /** Makes a backup, as docs/deploy/backups.md says. Afterwards another store of the same data is open. */
  backUp(): Promise<void>
  /** Closes the store, and opens the one of the backup in its place. */
  restore(): Promise<void>
  /** Closes the store, and opens it again, perhaps after some work on what is closed. */
  reopen(work?: (location: StoreLocation) => Promise<unknown>): Promise<void>
}

/** What tests of restored stores run on: `describe.each(restorableStores)('on $name', …)`. */
export const restorableStores = [
  { name: 'SQLite', restorableStore: restorableSqliteStore },
  { name: 'Postgres', restorableStore: restorablePostgresStore },
] as const

async function restorableSqliteStore(): Promise<RestorableStore> {
  const folder = await temporaryFolder()
  const [data, backup] = [join(folder.path, 'data'), join(folder.path, 'backup')]
  let restoredCount = 0
  return restorable(folder, {
    location: () => ({ folder: data }),
    open: () => openStore(data),
    async backUp(store) {
      await store.backup?.(backup)
      await store.close()
    },
    async restore() {
      restoredCount += 1
      await rename(data, `${data}.broken-${restoredCount}`)
      await cp(backup, data, { recursive: true })
    },
  })
}

async function restorablePostgresStore(): Promise<RestorableStore> {
  await using started = new AsyncDisposableStack()
  const original = started.use(await migratedTestDatabase())
  const server = new URL('/postgres', original.url).href
  const databases = started.move()
  let [current, backup] = [original, original]
  return restorable(databases, {
    location: () => ({ folder: '', postgres: { url: current.url } }),
    open: () => openPostgresStore(current.url),
    async backUp(store) {
      await store.close()
      backup = databases.use(await freshDatabase(server, current.name))
    },
    async restore() {
      current = databases.use(await freshDatabase(server, backup.name))
    },
  })
}

interface Restoring {
  location(): StoreLocation
  open(): Promise<Store>
  /** Makes the backup, and closes the store. */
  backUp(store: Store): Promise<void>
  /** Puts the backup in the place of the data. */
  restore(): Promise<void>
}

async function restorable(
  resources: AsyncDisposable,
  { location, open, backUp, restore }: Restoring,
): Promise<RestorableStore> {
  let store = await open()
  return {
    get store() {
      return store
    },
    async backUp() {
      await backUp(store)
      store = await open()
    },
    async restore() {
      await store.close()
      await restore()
      store = await open()
    },
    async reopen(work = async () => undefined) {
      await store.close()
      await work(location())
      store = await open()
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await resources[Symbol.asyncDispose]()
    },
  }
}
