import type { ChatKey } from '@throughline/protocol'
import type { ChatRemovals } from './chat-removals.ts'
import { confirmed } from './confirmed-writes.ts'
import { readableRun } from './damaged-runs.ts'
import { isNotLive } from './live-nodes.ts'
import type { Run } from './runs.ts'
import { type Database, ofChat, running, statement } from './schema.ts'
import type { SqlRow } from './sql.ts'

/** Runs that a node has taken over. Their rows name the node from now on. */
export interface TakenRuns {
  readonly runs: readonly Run[]
  /** The ids of taken runs whose rows are damaged. `Runs.damaged` returns what can be read of them. */
  readonly damagedIds: readonly string[]
}

/** Which node works on which run. A run that names no node, or a dead one, is an orphan until a node takes it. */
export interface RunOwners {
  /** Gives orphans to a node, at most `limit` of them. Every orphan goes to one node only. */
  takeOrphans(nodeId: string, limit: number): Promise<TakenRuns>
  /** Makes a run of this node an orphan. Does nothing when the run names another node, or has ended. */
  free(nodeId: string, run: Pick<Run, 'ownerId' | 'id'>): Promise<void>
  /** Returns the runs of a node that have not ended. Leaves out those whose rows are damaged. */
  runsOf(nodeId: string): Promise<readonly Run[]>
  /** Returns whether the run that goes on in a chat is a run of this node. */
  hasRunIn(chat: ChatKey, nodeId: string): Promise<boolean>
}

/** Returns the owners of the runs in a database. */
export function createRunOwners(database: Database, removals: Pick<ChatRemovals, 'has'>): RunOwners {
  const { build, sql, dialect } = database
  const ofNode = (nodeId: string) =>
    build.selectFrom('runs').selectAll().where('status', '=', running).where('node_id', '=', nodeId)

  return {
    async takeOrphans(nodeId, limit) {
      const orphans = build
        .selectFrom('runs as found')
        .select(['found.owner_id', 'found.id'])
        .where('found.status', '=', running)
        .where(isNotLive(database, 'found.node_id'))
        .limit(limit)
        // Nodes that look at the same moment take different runs. SQLite has one writer at a time.
        .$if(dialect.name === 'postgres', query => query.forUpdate().skipLocked())
      const take = build
        // Materialised: otherwise Postgres may select again for each row, and take more than the limit.
        .with(
          cte => cte('orphans').materialized(),
          () => orphans,
        )
        .updateTable('runs')
        .set({ node_id: nodeId })
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('owner_id', 'id'),
            'in',
            selectFrom('orphans').select(['owner_id', 'id']).$asTuple('owner_id', 'id'),
          ),
        )
        // Once more, for the row as it is now: another node may have taken the run since it was selected.
        .where('status', '=', running)
        .where(isNotLive(database, 'runs.node_id'))
        .returningAll()
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

/** Leaves out the runs of chats that are being removed: they do not exist for anyone. */
function takenFrom(rows: readonly SqlRow[], removals: Pick<ChatRemovals, 'has'>): TakenRuns {
  return {
    runs: rows.flatMap(row => readableRun(row) ?? []).filter(run => !removals.has(run)),
    damagedIds: rows.filter(row => readableRun(row) === undefined).map(({ id }) => String(id)),
  }
}
