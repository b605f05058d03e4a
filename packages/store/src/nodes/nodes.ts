import { sql as sqlText } from 'kysely'
import { z } from 'zod'
import { confirmed } from '../database/confirmed-writes.ts'
import { readRows, running, type StoreDatabase, statement } from '../database/database.ts'
import { isLiveNode, isNotLiveNode, nowMs } from './live-nodes.ts'
import type { SharedClock } from './shared-clock.ts'

/** What a node learns from its beat. */
export interface NodeBeat {
  /** Some node is dead, so it is worth looking for what it left. */
  readonly isSomeoneDead: boolean
  /** How long ago the node's beat before this one was, by the clock of the database, in milliseconds. 0 for the first one. */
  readonly silentMs: number
}

/**
 * The processes that share a store. A node is alive when its last beat is less than 15 seconds ago, by the clock of the
 * database. Otherwise it is dead, and others take over what it did.
 */
export interface Nodes {
  /** Says that a node is alive. Not repeated when it fails: the next beat comes soon. */
  beat(nodeId: string): Promise<NodeBeat>
  /** Makes a node dead at once. Its next beat would make it alive again. */
  resign(nodeId: string): Promise<void>
  /** Returns the ids of the nodes that are alive. */
  live(): Promise<ReadonlySet<string>>
  /** Forgets dead nodes that no run names any more. Returns how many. */
  removeDead(): Promise<number>
}

/** Returns the nodes that share a database. Each beat also sets the clock. */
export function createNodes(database: StoreDatabase, clock?: SharedClock): Nodes {
  const { build, sql } = database
  return {
    async beat(nodeId) {
      const before = build
        .selectFrom('nodes')
        .select(sqlText<number>`${nowMs(database)} - seen_at`.as('silent_ms'))
        .where('id', '=', nodeId)
      const beat = build
        .insertInto('nodes')
        .values({ id: nodeId, seen_at: nowMs(database) })
        .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at: nowMs(database) }))
      const dead = build.selectFrom('nodes').select('id').where(isNotLiveNode(database, 'nodes.id')).limit(1)
      const time = build.selectNoFrom(sqlText<number>`${sqlText.raw(database.dialect.now)}`.as('now'))
      const sentAt = performance.now()
      const [times = [], last = [], , found = []] = await sql.write(
        [time, before, beat, dead].map(query => statement(query)),
      )
      const [{ now } = {}] = z.array(timeRow).parse(times)
      if (now !== undefined) clock?.learn(now, { sentAt, receivedAt: performance.now() })
      const [silence] = z.array(silenceRow).parse(last)
      return { isSomeoneDead: found.length > 0, silentMs: silence?.silent_ms ?? 0 }
    },

    async resign(nodeId) {
      const resign = build.updateTable('nodes').set({ seen_at: 0 }).where('id', '=', nodeId)
      await confirmed(() => sql.write([statement(resign)]))
    },

    async live() {
      const query = build.selectFrom('nodes').select('id').where(isLiveNode(database, 'nodes.id'))
      return new Set((await readRows(database, query, idRow)).map(({ id }) => id))
    },

    async removeDead() {
      const busy = build.selectFrom('runs').select('node_id').where('status', '=', running)
      const remove = build
        .deleteFrom('nodes')
        .where(isNotLiveNode(database, 'nodes.id'))
        .where('id', 'not in', busy)
        .returning('id')
      const [rows = []] = await sql.write([statement(remove)])
      return rows.length
    },
  }
}

const idRow = z.object({ id: z.string() })
const timeRow = z.object({ now: z.number() })
const silenceRow = z.object({ silent_ms: z.number() })
