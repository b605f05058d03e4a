import { type SqlBool, sql as sqlText } from 'kysely'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import { confirmed } from '../database/confirmed-writes.ts'
import { readRows, running, type StoreDatabase, statement } from '../database/database.ts'
import { runRow, type Schema } from '../database/schema.ts'
import type { Statement } from '../database/sql.ts'
import { isNotLiveNode } from '../nodes/live-nodes.ts'
import { takenFrom } from './run-owners.ts'
import { deathsText, runFrom } from './run-rows.ts'
import type { Run } from './runs.ts'

/** A run that was ended because its process died again and again. */
export interface DeadlyRun extends Pick<Run, 'id' | 'ownerId' | 'chatId' | 'agent'> {
  /** How often its process died. */
  readonly deaths: number
  /** In ISO format. */
  readonly endedAt: string
}

type OwnRun = Pick<Run, 'ownerId' | 'id'>

/**
 * The runs whose processes have died, and which may be the reason. They wait, and go on one at a time. `takeOrphans` does not
 * return those that wait.
 */
export interface RunQuarantine {
  /**
   * Lets a run of this node wait in quarantine. If some of its deaths have been explained since the run was read, it becomes an
   * orphan instead, to be judged anew. Does nothing when the run names another node, or has ended.
   */
  put(nodeId: string, run: OwnRun & Pick<Run, 'deaths'>): Promise<void>
  /** Gives the run with the most deaths among those that wait to a node. */
  takeNext(nodeId: string): Promise<Run | undefined>
  /** Lets a run of this node leave the quarantine. It keeps its deaths. */
  release(nodeId: string, run: OwnRun): Promise<void>
  /** Returns whether no other run that goes on was on the node, too, when it died. */
  wasAlone(run: OwnRun, nodeId: string): Promise<boolean>
  /**
   * Notes that a run has ended because its process died again and again. That explains the deaths of its nodes: they do not
   * count for other runs any more. Those of them that wait become orphans, to be judged anew.
   */
  explain(run: OwnRun & Pick<Run, 'deaths'>): Promise<void>
  /**
   * Notes that a node has not died: it could only not be heard. So that death does not count for any run, and those that wait
   * become orphans, to be judged anew.
   */
  takeBackDeath(nodeId: string): Promise<void>
  /** Returns how many runs wait. */
  countWaiting(): Promise<number>
  /** Returns the runs of all owners that ended so, the last ones first. */
  lastEnded(limit: number): Promise<readonly DeadlyRun[]>
}

/** Returns the quarantine of the runs in a database. */
export function createRunQuarantine(
  database: StoreDatabase,
  removals: Pick<ChatRemovals, 'has'>,
): RunQuarantine {
  const { build, sql } = database
  const updateOwn = (nodeId: string, { ownerId, id }: OwnRun) =>
    build
      .updateTable('runs')
      .where('owner_id', '=', ownerId)
      .where('id', '=', id)
      .where('node_id', '=', nodeId)
      .where('status', '=', running)

  return {
    async put(nodeId, run) {
      const put = updateOwn(nodeId, run).set({
        node_id: '',
        quarantine: sqlText<'waits'>`case when deaths = ${deathsText(run)} then 'waits' else '' end`,
      })
      await confirmed(() => sql.write([statement(put)]))
    },

    async takeNext(nodeId) {
      const take = takeNext(database, nodeId)
      const [rows = []] = await sql.write([statement(take)])
      return takenFrom(rows, removals).runs[0]
    },

    async release(nodeId, run) {
      const release = updateOwn(nodeId, run).set({ quarantine: '' })
      await confirmed(() => sql.write([statement(release)]))
    },

    async wasAlone(run, nodeId) {
      const others = othersOn(database, run, nodeId)
      const [rows = []] = await sql.read([statement(others)])
      return rows.length === 0
    },

    async explain(run) {
      await confirmed(() => sql.write(explainStatements(database, run)))
    },

    async takeBackDeath(nodeId) {
      await confirmed(() => sql.write([forgetDeath(database, nodeId)]))
    },

    async countWaiting() {
      const query = build.selectFrom('runs').select('id').where('status', '=', running).where(waits('runs'))
      const [rows = []] = await sql.read([statement(query)])
      return rows.length
    },

    async lastEnded(limit) {
      const query = build
        .selectFrom('runs')
        .selectAll()
        .where(sqlText<SqlBool>`runs.quarantine = 'ended'`)
        .orderBy('ended_at', 'desc')
        .limit(limit)
      return (await readRows(database, query, runRow)).map(deadlyRun)
    },
  }
}

function takeNext({ build, dialect }: StoreDatabase, nodeId: string) {
  const next = build
    .selectFrom('runs as found')
    .select(['found.owner_id', 'found.id'])
    .where('found.status', '=', running)
    .where(waits('found'))
    .orderBy(sqlText`length(found.deaths)`, 'desc')
    .orderBy('found.started_at')
    .limit(1)
    .$if(dialect.name === 'postgres', query => query.forUpdate().skipLocked())
  return build
    .with(
      cte => cte('next').materialized(),
      () => next,
    )
    .updateTable('runs')
    .set({ node_id: nodeId, quarantine: 'inside' })
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('owner_id', 'id'),
        'in',
        selectFrom('next').select(['owner_id', 'id']).$asTuple('owner_id', 'id'),
      ),
    )
    .where('status', '=', running)
    .where(waits('runs'))
    .returningAll()
}

/** Selects another run that was on a node, and goes on. */
function othersOn({ build }: StoreDatabase, { ownerId, id }: OwnRun, nodeId: string) {
  return build
    .selectFrom('runs')
    .select('id')
    .where('status', '=', running)
    .where(({ or, eb }) => or([eb('node_id', '=', nodeId), hasDeath(nodeId)]))
    .where(({ or, eb }) => or([eb('owner_id', '!=', ownerId), eb('id', '!=', id)]))
    .limit(1)
}

function explainStatements(
  database: StoreDatabase,
  { ownerId, id, deaths = [] }: OwnRun & Pick<Run, 'deaths'>,
): readonly Statement[] {
  const { build } = database
  const end = build
    .updateTable('runs')
    .set({ quarantine: 'ended' })
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .where('status', '=', 'interrupted')
  // For runs that nobody has taken yet: the node did not die because of them.
  const resign = deaths.map(nodeId =>
    build
      .updateTable('nodes')
      .set({ seen_at: 0 })
      .where('id', '=', nodeId)
      .where(isNotLiveNode(database, 'nodes.id')),
  )
  const forget = deaths.map(nodeId => forgetDeath(database, nodeId))
  return [...[end, ...resign].map(query => statement(query)), ...forget]
}

/** From now on, the death of a node does not count for any run. */
function forgetDeath({ build }: StoreDatabase, nodeId: string): Statement {
  const forget = build
    .updateTable('runs')
    .set({
      deaths: sqlText<string>`replace(deaths, ${`${nodeId} `}, '')`,
      quarantine: sqlText<''>`case when quarantine = 'waits' then '' else quarantine end`,
    })
    .where('status', '=', running)
    .where(hasDeath(nodeId))
  return statement(forget)
}

/** SQL for whether a run waits. A node of the release before takes it all the same: then it has a node. */
function waits(table: 'found' | 'runs') {
  return sqlText<SqlBool>`${sqlText.ref(`${table}.quarantine`)} = 'waits' and ${sqlText.ref(`${table}.node_id`)} = ''`
}

/** SQL for whether a node died while it worked on the run. */
function hasDeath(nodeId: string) {
  return sqlText<SqlBool>`deaths like ${`%${nodeId} %`}`
}

function deadlyRun(row: Schema['runs']): DeadlyRun {
  const { id, ownerId, chatId, agent, deaths = [] } = runFrom(row)
  return { id, ownerId, chatId, agent, deaths: deaths.length, endedAt: row.ended_at ?? '' }
}
