import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** An empty database. Disposing drops it, even when somebody is still connected. */
export interface FreshDatabase extends AsyncDisposable {
  readonly url: string
}

/** Creates an empty database on a server. */
export async function freshDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `throughline_test_${randomBytes(8).toString('hex')}`
  await execute(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await execute(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
