import { join } from 'node:path'
import type { StoreOptions } from '@throughline/store'
import { createStore, type Store } from '@throughline/store/testing'
import { openTestSqlite } from './open-test-sqlite.ts'

/** Opens a store as `openStore` does, but in a folder that exists, and with its database in the thread that tests share. */
export async function openTestStore(
  folder: string,
  options: Pick<StoreOptions, 'clock'> = {},
): Promise<Store> {
  const thread = await openTestSqlite(join(folder, 'throughline.sqlite'))
  return createStore(thread, folder, { report: () => undefined, ...options })
}
