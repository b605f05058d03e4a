import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createEpoch } from '@throughline/protocol'
import { confirmed } from './database/confirmed-writes.ts'
import { SqlError } from './database/sql.ts'
import { databaseName } from './disk/private-folder.ts'
import { assertNotMoving } from './move/move-target.ts'
import type { StoreLocation } from './open-store-at.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { openDatabase } from './sqlite/open-database.ts'
import { renewGeneration } from './sqlite/store-file.ts'

/**
 * Gives every log of a store a new generation, and so other positions. For a store that was restored in a way that leaves no
 * trace, such as from a snapshot of its disk. Migrates the store. Returns how many logs there are.
 *
 * Throws an `SqlError` whose message says what to do: `in-use` when a server has the data folder open.
 */
export async function renewStore({ folder, postgres }: StoreLocation): Promise<number> {
  return postgres === undefined ? renewFolder(folder) : renewPostgres(postgres.url)
}

function renewFolder(folder: string): number {
  const path = join(folder, databaseName)
  if (!existsSync(path)) throw new SqlError('failed', `There is no data in ${folder}.`)
  using database = openDatabase(path)
  renewGeneration(database)
  return Number(database.prepare('select count(*) as n from logs').get()?.['n'])
}

async function renewPostgres(url: string): Promise<number> {
  const sql = await openPostgres(url)
  try {
    await assertNotMoving(sql)
    // All of them at once, so that nodes of the release before see it, too.
    const renew = { sql: 'update logs set generation = ? returning 1 as n', sets: [[createEpoch()]] }
    const [rows = []] = await confirmed(() => sql.write([renew]))
    return rows.length
  } finally {
    await sql.close()
  }
}
