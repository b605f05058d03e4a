import type { Sql } from './sql.ts'

/** Which database a store uses. */
export interface DatabaseFacts {
  readonly kind: 'sqlite' | 'postgres'
  /** Such as `3.51.0` or `18.1`. */
  readonly version: string
}

/** Returns the facts of the SQLite that this process has built in. */
export function sqliteFacts(): DatabaseFacts {
  return { kind: 'sqlite', version: process.versions.sqlite ?? '' }
}

/** Asks a Postgres server for its facts. Its version can change while this process runs. */
export async function postgresFacts(sql: Pick<Sql, 'read'>): Promise<DatabaseFacts> {
  const [rows = []] = await sql.read([
    { sql: "select current_setting('server_version') as version", sets: [[]] },
  ])
  // Distributions add their own name: `18.1 (Debian 18.1-1)`.
  const [version = ''] = String(rows[0]?.['version']).split(' ')
  return { kind: 'postgres', version }
}
