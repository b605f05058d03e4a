import { SqlError } from '../../database/sql.ts'
import type { PatientQueries } from '../patient-queries.ts'

// A database may lack the last entries that its readers have seen: a standby took over, or the tables come from a backup.
// New entries would then reuse their numbers. So each log notes where its rows have their origin. When somebody opens or
// writes it and the origin is another one, it gets a new generation first, and with it another epoch in all positions:
// no reader mistakes new entries for those it has seen.
//
// The rows of the entries keep the epoch that the log was created with.

/**
 * How a server says where its data comes from: expressions in SQL. An empty text means that it does not say.
 *
 * `timeline` changes when a standby takes over, and when a server is restored up to a point in time. `origin` is another
 * one in another database or cluster, and in tables that were made anew. They are apart because a failover may be known
 * to lose nothing.
 */
export interface OriginSql {
  readonly timeline: string
  readonly origin: string
}

const timelineSql = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'

const tableSql = `concat('d', (select oid from pg_database where datname = current_database()),
  't', to_regclass('logs')::oid, 'f', pg_relation_filenode(to_regclass('logs')))`
const startSql = "concat('r', (extract(epoch from pg_postmaster_start_time()) * 1000)::bigint)"

// A server that does not wait for its disk may have lost entries at every start. So may one that does not say its number: two
// restored databases on new servers can be alike in all else. Nor is it known of one that does not say its timeline whether it
// was a standby before.
const originSqls = [
  `${tableSql} || (select concat('s', system_identifier) from pg_control_system())
    || case when current_setting('fsync') = 'off' then ${startSql} else '' end`,
  `${tableSql} || ${startSql}`,
]

/** Finds out what the server says. Some providers refuse some of it, and so do some databases that only resemble Postgres. */
export async function findOriginSql(
  queries: PatientQueries,
  { isTimelineTracked }: { readonly isTimelineTracked: boolean },
): Promise<OriginSql> {
  const timeline = isTimelineTracked ? await firstKnown(queries, [timelineSql]) : nothing
  const isRefused = isTimelineTracked && timeline === nothing
  const origin = await firstKnown(queries, isRefused ? originSqls.slice(1) : originSqls)
  return { timeline, origin }
}

const nothing = "''"

async function firstKnown(queries: PatientQueries, sqls: readonly string[]): Promise<string> {
  for (const sql of sqls) {
    try {
      await queries.run({ name: '', text: `select ${sql}`, values: [] })
      return sql
    } catch (error) {
      // A standby that is not promoted yet is `busy`. It says its timeline later.
      const isRefused = error instanceof SqlError && !['unreachable', 'busy', 'closed'].includes(error.code)
      if (!isRefused) throw error
    }
  }
  return nothing
}

/**
 * SQL: a table expression `here`, with one row that says where the data of the server has its origin. It is computed once per
 * statement.
 */
export function hereSql({ timeline, origin }: OriginSql): string {
  return `here as materialized (select ${timeline} as timeline, ${origin} as origin)`
}

/**
 * SQL: whether the rows of a log have their origin here. A log without an origin or a timeline does: it was made while
 * nobody noted them, or it was moved here on purpose.
 */
export function isFromHereSql({ log, here }: { readonly log: string; readonly here: string }): string {
  return `((${here}.timeline = '' or ${log}.timeline in ('', ${here}.timeline))
    and (${here}.origin = '' or ${log}.origin in ('', ${here}.origin)))`
}

/** The part of an upsert of `logs` that notes the origin of the log, and gives it a new generation if it is another one. */
export function noteOriginSql({ newGeneration }: { readonly newGeneration: string }): string {
  return `generation = case when ${isFromHereSql({ log: 'logs', here: 'excluded' })}
      then logs.generation else ${newGeneration} end,
    timeline = coalesce(nullif(excluded.timeline, ''), logs.timeline),
    origin = coalesce(nullif(excluded.origin, ''), logs.origin)`
}
