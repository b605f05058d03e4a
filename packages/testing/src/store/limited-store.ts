import { join } from 'node:path'
import { createStore, type Store } from '@throughline/store/testing'
import { openTestSqlite } from './open-test-sqlite.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A store on a real file, whose disk the test can fill. */
export interface LimitedStore extends AsyncDisposable {
  readonly store: Store
  readonly folder: string
  /** From now on the file cannot grow: SQLite fails with SQLITE_FULL, as on a full disk. */
  fill(): Promise<void>
  makeRoom(): Promise<void>
  /** From now on nothing can be written: SQLite fails with SQLITE_READONLY, as on a disk that became read-only. */
  lock(): Promise<void>
}

/** Opens a store on a real file, by default in a folder of its own. Disposing closes it, and removes its own folder. */
export async function limitedStore(path?: string): Promise<LimitedStore> {
  const own = path === undefined ? await temporaryFolder() : undefined
  const folder = path ?? own?.path ?? ''
  const thread = await openTestSqlite(join(folder, 'throughline.sqlite'))
  const store = await createStore(thread, folder, { report: () => undefined })
  const pragma = async (text: string) => {
    await thread.read([{ sql: `pragma ${text}`, sets: [[]] }])
  }
  return {
    store,
    folder,
    // The limit cannot be less than what the file has already.
    fill: () => pragma('max_page_count = 1'),
    async makeRoom() {
      await pragma('max_page_count = 1000000')
      await pragma('query_only = off')
    },
    lock: () => pragma('query_only = on'),
    async [Symbol.asyncDispose]() {
      await store.close()
      await own?.[Symbol.asyncDispose]()
    },
  }
}
