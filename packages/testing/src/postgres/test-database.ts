import { inject } from 'vitest'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test worker asks for the URL of the Postgres server. */
    readonly postgresLocator: string
  }
}

/**
 * Creates an empty Postgres database for one test: `await using database = await testDatabase()`. The first call of a
 * test command starts the server. Throws if there is none: a test on Postgres is never skipped.
 */
export async function testDatabase(): Promise<FreshDatabase> {
  const response = await fetch(inject('postgresLocator'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return freshDatabase(text)
}
