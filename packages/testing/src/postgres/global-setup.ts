import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { findPostgres } from './find-postgres.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'
import type { PostgresServer } from './postgres-server.ts'

const execute = promisify(execFile)
const migrateProgram = fileURLToPath(new URL('migrate-process.ts', import.meta.url))

/**
 * Runs once per test command. The first test that asks for Postgres starts it, so runs without such tests do not pay.
 * All workers share this one server, and a database with all tables, from which the databases of most tests are copied.
 * Returns a function that stops it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined
  let migrated: Promise<FreshDatabase> | undefined
  const env = { ...process.env }
  // It says where the tests may create databases. The servers that tests start must not take it as their own database.
  delete process.env['DATABASE_URL']
  // A secret path: the URL of the server contains its password.
  const path = `/${randomUUID()}`
  const locator = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end()
      return
    }
    started ??= startAndPrint(env)
    migrated ??= started.then(({ url }) => migratedDatabase(url))
    Promise.all([started, migrated]).then(
      ([server, { name }]) => response.end(JSON.stringify({ url: server.url, migrated: name })),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    )
  })
  locator.listen(0, '127.0.0.1')
  await once(locator, 'listening')
  const address = locator.address()
  if (address === null || typeof address === 'string') throw new TypeError('The locator has no port.')
  project.provide('postgresLocator', `http://127.0.0.1:${address.port}${path}`)
  return async () => {
    locator.close()
    locator.closeAllConnections()
    const server = await started?.catch(() => undefined)
    const database = await migrated?.catch(() => undefined)
    await database?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  }
}

/** Nobody stays connected: Postgres copies a database only then. */
async function migratedDatabase(serverUrl: string): Promise<FreshDatabase> {
  const database = await freshDatabase(serverUrl)
  // In a process of its own, because this one does not find the sources of the other packages.
  await execute(process.execPath, [migrateProgram], {
    env: { ...process.env, MIGRATED_DATABASE: database.url },
  })
  return database
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
