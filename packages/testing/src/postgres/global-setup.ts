import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { findPostgres } from './find-postgres.ts'
import type { PostgresServer } from './postgres-server.ts'

/**
 * Runs once per test command. The first test that asks for Postgres starts it, so runs without such tests do not pay.
 * All workers share this one server. Returns a function that stops it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined
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
    started.then(
      ({ url }) => response.end(url),
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
    await server?.[Symbol.asyncDispose]()
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
