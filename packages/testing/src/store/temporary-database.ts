import {
  databaseOnPostgres,
  databaseOnSqlite,
  openPostgres,
  type StoreDatabase,
} from '@throughline/store/testing'
import { migratedTestDatabase } from '../postgres/test-database.ts'
import { openTestSqlite } from './open-test-sqlite.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A migrated database of its own for one test. Disposing closes and removes it. */
export type TemporaryDatabase = StoreDatabase & AsyncDisposable

/** Opens a database on a real file in its own folder. */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const folder = await temporaryFolder()
  const sql = await openTestSqlite(`${folder.path}/test.sqlite`)
  return {
    ...databaseOnSqlite(sql),
    async [Symbol.asyncDispose]() {
      await sql.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Opens its own database of a real Postgres server. */
export async function temporaryPostgres(): Promise<TemporaryDatabase> {
  const database = await migratedTestDatabase()
  const sql = await openPostgres(database.url)
  return {
    ...databaseOnPostgres(sql),
    async [Symbol.asyncDispose]() {
      await sql.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
