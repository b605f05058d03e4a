import { inject } from 'vitest'
import { z } from 'zod'
import { askLocator } from '../setup/serve-on-demand.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test worker asks for the URL of the Postgres server, and for the name of a database with all tables. */
    readonly postgresLocator: string
  }
}

/**
 * Creates an empty Postgres database for one test: `await using database = await testDatabase()`. The first call of a
 * test command starts the server. Throws if there is none: a test on Postgres is never skipped.
 */
export async function testDatabase(): Promise<FreshDatabase> {
  const { url } = await locate()
  return freshDatabase(url)
}

/** Creates a Postgres database for one test that has all tables already. That takes a third of the time of migrating it. */
export async function migratedTestDatabase(): Promise<FreshDatabase> {
  const { url, migrated } = await locate()
  return freshDatabase(url, migrated)
}

const locationSchema = z.object({ url: z.string(), migrated: z.string() })

async function locate(): Promise<z.infer<typeof locationSchema>> {
  return locationSchema.parse(await askLocator(inject('postgresLocator')))
}
