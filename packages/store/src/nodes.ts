import { z } from 'zod'
import { confirmed } from './confirmed-writes.ts'
import { isLive, isNotLive, nowMs } from './live-nodes.ts'
import { type Database, readRows, statement } from './schema.ts'

/**
 * The processes that share a store. A node is alive when its last beat is less than 15 seconds ago, by the clock of the
 * database. Otherwise it is dead, and others take over what it did.
 */
export interface Nodes {
  /** Says that a node is alive. Returns whether some node is dead, so that it is worth looking for what it left. */
  beat(nodeId: string): Promise<boolean>
  /** Makes a node dead at once. Its next beat would make it alive again. */
  resign(nodeId: string): Promise<void>
  /** Returns the ids of the nodes that are alive. */
  live(): Promise<ReadonlySet<string>>
  /** Forgets dead nodes that no run names any more. Returns how many. */
  removeDead(): Promise<number>
}

/** Returns the nodes that share a database. */
export function createNodes(database: Database): Nodes {
  const { build, sql } = database
  return {
    async beat(nodeId) {
      const beat = build
        .insertInto('nodes')
        .values({ id: nodeId, seen_at: nowMs(database) })
        .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at: nowMs(database) }))
      const dead = build.selectFrom('nodes').select('id').where(isNotLive(database, 'nodes.id')).limit(1)
      const [, found = []] = await confirmed(() => sql.write([statement(beat), statement(dead)]))
      return found.length > 0
    },

    async resign(nodeId) {
      const resign = build.updateTable('nodes').set({ seen_at: 0 }).where('id', '=', nodeId)
      await confirmed(() => sql.write([statement(resign)]))
    },

    async live() {
      const query = build.selectFrom('nodes').select('id').where(isLive(database, 'nodes.id'))
      return new Set((await readRows(database, query, idRow)).map(({ id }) => id))
    },

    async removeDead() {
      const busy = build.selectFrom('runs').select('node_id').where('status', '=', 'running')
      const remove = build
        .deleteFrom('nodes')
        .where(isNotLive(database, 'nodes.id'))
        .where('id', 'not in', busy)
        .returning('id')
      const [rows = []] = await sql.write([statement(remove)])
      return rows.length
    },
  }
}

const idRow = z.object({ id: z.string() })
