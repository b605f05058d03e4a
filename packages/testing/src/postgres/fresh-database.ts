import { randomBytes } from 'node:crypto'
import { Client, DatabaseError } from 'pg'

/** A database of its own. Disposing drops it, even when somebody is still connected. */
export interface FreshDatabase extends AsyncDisposable {
  readonly url: string
  readonly name: string
}

/** Creates a database on a server: an empty one, or a copy of another one to which nobody is connected. */
export async function freshDatabase(serverUrl: string, copied?: string): Promise<FreshDatabase> {
  const name = `throughline_test_${randomBytes(8).toString('hex')}`
  await execute(serverUrl, `create database ${name}${copied === undefined ? '' : ` template ${copied}`}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    name,
    async [Symbol.asyncDispose]() {
      await dropped(serverUrl, name)
    },
  }
}

/** Postgres gives the processes of connections five seconds to end. On a busy machine they need longer. */
async function dropped(serverUrl: string, name: string, attempts = 12): Promise<void> {
  try {
    await execute(serverUrl, `drop database ${name} with (force)`)
  } catch (error) {
    const isInUse = error instanceof DatabaseError && error.code === '55006'
    if (!isInUse || attempts === 1) throw error
    await dropped(serverUrl, name, attempts - 1)
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
