import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { findPostgres } from '../postgres/find-postgres.ts'
import { freshDatabase } from '../postgres/fresh-database.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { serveOnDemand } from './serve-on-demand.ts'

const execute = promisify(execFile)
const migrateProgram = fileURLToPath(new URL('../postgres/migrate-process.ts', import.meta.url))

/**
 * Runs once per test command. The first test that asks for Postgres starts it, so runs without such tests do not pay.
 * All workers share this one server, and a database with all tables, from which the databases of most tests are copied.
 * Returns a function that stops it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const env = { ...process.env }
  // It says where the tests may create databases. The servers that tests start must not take it as their own database.
  delete process.env['DATABASE_URL']
  const started = new AsyncDisposableStack()
  const locator = await serveOnDemand(async () => {
    const { url } = started.use(await startAndPrint(env))
    const { name } = started.use(await migratedDatabase(url))
    return { url, migrated: name }
  })
  project.provide('postgresLocator', locator.url)
  return async () => {
    await locator.close()
    await started.disposeAsync()
  }
}

async function startAndPrint(env: NodeJS.ProcessEnv): Promise<PostgresServer> {
  const server = await findPostgres(env)
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  await client.end()
  console.log(`Tests run on Postgres ${rows[0]?.server_version}, ${server.origin}.`)
  return server
}

/** Nobody stays connected: Postgres copies a database only then. */
async function migratedDatabase(serverUrl: string) {
  const database = await freshDatabase(serverUrl)
  // In a process of its own, because this one does not find the sources of the other packages.
  await execute(process.execPath, [migrateProgram], {
    env: { ...process.env, MIGRATED_DATABASE: database.url },
  })
  return database
}
