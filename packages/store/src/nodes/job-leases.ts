import { type SqlBool, sql as sqlText } from 'kysely'
import { z } from 'zod'
import { confirmed } from '../database/confirmed-writes.ts'
import { type StoreDatabase, statement } from '../database/database.ts'
import { nowMs } from './live-nodes.ts'

/** A lease that is not renewed in this time can be taken by another node, in milliseconds. */
const leaseMs = 15_000

/**
 * Leases of jobs that only one node may do at a time, such as asking Telegram for messages. (The lease of a log is
 * another thing: it is part of the log store.)
 */
export interface JobLeases {
  /**
   * Takes the job for 15 seconds, by the clock of the database. A node that has it already gets 15 seconds more. Returns
   * the fence number of the lease, which grows each time that the job goes to another node. Returns `undefined` when
   * another node has the job. Not repeated when it fails: the holder renews its lease often.
   */
  take(job: string, nodeId: string): Promise<number | undefined>
  /** Gives the job back, so that another node can take it at once. */
  giveBack(job: string, nodeId: string): Promise<void>
}

/** Returns the leases of jobs in a database. */
export function createJobLeases(database: StoreDatabase): JobLeases {
  const { build, sql } = database

  return {
    async take(job, nodeId) {
      const until = sqlText<number>`${nowMs(database)} + ${sqlText.lit(leaseMs)}`
      const isMine = sqlText<SqlBool>`job_leases.node_id = ${nodeId}`
      const take = build
        .insertInto('job_leases')
        .values({ name: job, node_id: nodeId, fence: 1, until })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({
              node_id: nodeId,
              fence: sqlText<number>`job_leases.fence + case when ${isMine} then 0 else 1 end`,
              until,
            })
            .where(({ or }) => or([isMine, sqlText<SqlBool>`job_leases.until <= ${nowMs(database)}`])),
        )
        .returning('fence')
      const [rows = []] = await sql.write([statement(take)])
      return z.array(fenceRow).parse(rows)[0]?.fence
    },

    async giveBack(job, nodeId) {
      const end = build
        .updateTable('job_leases')
        .set({ until: 0 })
        .where('name', '=', job)
        .where('node_id', '=', nodeId)
      await confirmed(() => sql.write([statement(end)]))
    },
  }
}

const fenceRow = z.object({ fence: z.number() })
