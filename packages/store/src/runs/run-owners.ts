import type { ChatKey } from '@throughline/protocol'
import { type Expression, type SqlBool, sql as sqlText } from 'kysely'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import { confirmed } from '../database/confirmed-writes.ts'
import { ofChat, running, type StoreDatabase, statement } from '../database/database.ts'
import type { SqlRow } from '../database/sql.ts'
import { isNotLiveNode } from '../nodes/live-nodes.ts'
import { readableRun } from './run-rows.ts'
import type { Run } from './runs.ts'

/** Runs that a node has taken over. Their rows name the node from now on. */
export interface TakenRuns {
  readonly runs: readonly Run[]
  /** The ids of taken runs whose rows are damaged. `Runs.damaged` returns what can be read of them. */
  readonly damagedIds: readonly string[]
}

/**
 * Which node works on which run. A run that names no node, or another one that is dead, is an orphan until a node takes it.
 * In a store that only one process uses, every other process is dead.
 */
export interface RunOwners {
  /**
   * Gives orphans to a node, at most `limit` of them. Every orphan goes to one node only. A run whose node has died, and did
   * not resign, counts one more death. Leaves out those that wait in quarantine, unless their end was asked for.
   */
  takeOrphans(nodeId: string, limit: number): Promise<TakenRuns>
  /** Makes a run of this node an orphan. Does nothing when the run names another node, or has ended. */
  free(nodeId: string, run: Pick<Run, 'ownerId' | 'id'>): Promise<void>
  /** The same for all runs of a node that shuts down: it has not died. */
  freeAll(nodeId: string): Promise<void>
  /** Returns the runs of a node that have not ended. Leaves out those whose rows are damaged. */
  runsOf(nodeId: string): Promise<readonly Run[]>
  /** Returns whether the run that goes on in a chat is a run of this node. */
  hasRunIn(chat: ChatKey, nodeId: string): Promise<boolean>
}

/** Returns the owners of the runs in a database. */
export function createRunOwners(database: StoreDatabase, removals: Pick<ChatRemovals, 'has'>): RunOwners {
  const { build, sql } = database
  const ofNode = (nodeId: string) =>
    build.selectFrom('runs').selectAll().where('status', '=', running).where('node_id', '=', nodeId)

  return {
    async takeOrphans(nodeId, limit) {
      const take = takeOrphans(database, nodeId, limit)
      const [rows = []] = await sql.write([statement(take)])
      return takenFrom(rows, removals)
    },

    async free(nodeId, { ownerId, id }) {
      const free = build
        .updateTable('runs')
        .set({ node_id: '' })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .where('node_id', '=', nodeId)
        .where('status', '=', running)
      await confirmed(() => sql.write([statement(free)]))
    },

    async freeAll(nodeId) {
      const free = build
        .updateTable('runs')
        .set({ node_id: '' })
        .where('status', '=', running)
        .where('node_id', '=', nodeId)
      await confirmed(() => sql.write([statement(free)]))
    },

    async runsOf(nodeId) {
      const [rows = []] = await sql.read([statement(ofNode(nodeId))])
      return takenFrom(rows, removals).runs
    },

    async hasRunIn(chat, nodeId) {
      const [rows = []] = await sql.read([statement(ofNode(nodeId).where(ofChat(chat)))])
      return rows.length > 0
    },
  }
}

function takeOrphans(database: StoreDatabase, nodeId: string, limit: number) {
  const { build, dialect } = database
  const orphans = build
    .selectFrom('runs as found')
    .select(['found.owner_id', 'found.id'])
    .where('found.status', '=', running)
    .where(isOrphan(database, 'found', nodeId))
    .limit(limit)
    // Nodes that look at the same moment take different runs. SQLite has one writer at a time.
    .$if(dialect.name === 'postgres', query => query.forUpdate().skipLocked())
  return (
    build
      // Materialised: otherwise Postgres may select again for each row, and take more than the limit.
      .with(
        cte => cte('orphans').materialized(),
        () => orphans,
      )
      .updateTable('runs')
      .set({
        node_id: nodeId,
        deaths: sqlText<string>`case when ${hasDied} then deaths || node_id || ' ' else deaths end`,
        quarantine: sqlText<''>`case when ${hasDied} and quarantine = 'inside' then quarantine else '' end`,
      })
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('owner_id', 'id'),
          'in',
          selectFrom('orphans').select(['owner_id', 'id']).$asTuple('owner_id', 'id'),
        ),
      )
      // Once more, for the row as it is now: another node may have taken the run since it was selected.
      .where('status', '=', running)
      .where(isOrphan(database, 'runs', nodeId))
      .returningAll()
  )
}

/** SQL for whether a node may take a run. A run that waits in quarantine may only be taken to end it. */
function isOrphan(database: StoreDatabase, table: 'found' | 'runs', nodeId: string): Expression<SqlBool> {
  const column = (name: string) => sqlText.ref(`${table}.${name}`)
  return sqlText<SqlBool>`${column('node_id')} <> ${nodeId} and ${isNotLiveNode(database, `${table}.node_id`)}
    and (${column('node_id')} <> '' or ${column('quarantine')} <> 'waits' or ${column('stop_requested_by')} is not null)`
}

/** SQL for whether the node of an orphan has died. A node that resigned has not, and neither has none. */
const hasDied = sqlText<SqlBool>`runs.node_id <> ''
  and coalesce((select former.seen_at from nodes as former where former.id = runs.node_id), 1) <> 0`

/** Leaves out the runs of chats that are being removed: they do not exist for anyone. */
export function takenFrom(rows: readonly SqlRow[], removals: Pick<ChatRemovals, 'has'>): TakenRuns {
  return {
    runs: rows.flatMap(row => readableRun(row) ?? []).filter(run => !removals.has(run)),
    damagedIds: rows.filter(row => readableRun(row) === undefined).map(({ id }) => String(id)),
  }
}
