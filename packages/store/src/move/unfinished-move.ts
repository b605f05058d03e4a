import { type Sql, SqlError } from '../sql.ts'

/** Throws the `SqlError` `in-use` when data is being moved into the database, or was moved there only in part. */
export async function assertNotMoving(sql: Pick<Sql, 'read'>): Promise<void> {
  const [moves = []] = await sql.read([
    { sql: 'select source from store_moves where finished_at is null', sets: [[]] },
  ])
  const [move] = moves
  if (move === undefined) return
  throw new SqlError(
    'in-use',
    `The data of ${String(move['source'])} is not yet completely in this database. Wait until "throughline migrate" is done. If it was interrupted, run it again.`,
  )
}
