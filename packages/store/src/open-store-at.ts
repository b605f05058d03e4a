import { openPostgresStore } from './open/open-postgres-store.ts'
import { openStore, type StoreOptions } from './open/open-store.ts'
import type { Store } from './open/store.ts'

/** Where a Postgres database is. */
export interface PostgresLocation {
  /** For example `postgres://user:password@host:5432/database`. */
  readonly url: string
  /** Another URL to listen for notifications: see `PostgresStoreOptions`. */
  readonly listenUrl?: string | undefined
}

/** Where a store is. */
export interface StoreLocation {
  /** The data folder. Not used with Postgres. */
  readonly folder: string
  /** Default: a SQLite database in the data folder. */
  readonly postgres?: PostgresLocation | undefined
}

/** Opens a store where it is: in a folder, or in a Postgres database. Throws as these two do. */
export function openStoreAt(
  { folder, postgres }: StoreLocation,
  { report, fileBytes }: Pick<StoreOptions, 'report' | 'fileBytes'>,
): Promise<Store> {
  if (postgres === undefined) return openStore(folder, { report, fileBytes })
  return openPostgresStore(postgres.url, { report, fileBytes, listenUrl: postgres.listenUrl })
}
