import { Client } from 'pg'
import { z } from 'zod'

/** All rows of a database as of one moment, in files of its server. */
export interface RowDump {
  readonly tables: readonly string[]
  /** The files of the tables begin with it. */
  readonly path: string
}

/**
 * Writes all rows of the schema `public` into files, as of one moment, while others go on, as `pg_dump` does. Needs a user who
 * may do everything, and a server that may write into its data folder.
 */
export async function dumpRows(url: string): Promise<RowDump> {
  return withClient(url, async client => {
    await client.query('begin isolation level repeatable read')
    const { rows } = await client.query(
      `select tablename as name, current_setting('data_directory') as folder from pg_tables
       where schemaname = 'public'`,
    )
    const tables = z.array(z.object({ name: z.string(), folder: z.string() })).parse(rows)
    const path = `${tables[0]?.folder}/dump`
    for (const { name } of tables) await client.query(`copy public.${name} to '${path}-${name}'`)
    await client.query('commit')
    return { tables: tables.map(({ name }) => name), path }
  })
}

/** Replaces all rows of a database on the same server by those of a dump. It must have the same tables. */
export async function fillRows(url: string, { tables, path }: RowDump): Promise<void> {
  await withClient(url, async client => {
    await client.query('begin')
    // Without triggers and foreign keys: the order of the tables does not matter.
    await client.query('set local session_replication_role = replica')
    await client.query(`truncate ${tables.map(name => `public.${name}`).join(', ')}`)
    for (const name of tables) await client.query(`copy public.${name} from '${path}-${name}'`)
    await client.query('commit')
  })
}

async function withClient<Value>(url: string, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
