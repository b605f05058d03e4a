import type { LogName } from '@throughline/log'
import { createEpoch } from '@throughline/protocol'
import type { PreparedQuery } from '../patient-queries.ts'
import { durableSql, readsDurableSql } from './durable-sql.ts'
import { hereSql, noteOriginSql, type OriginSql } from './log-origin.ts'

/** Takes the lease of a log, and creates the log if there is none. Returns its epoch and the new fence. */
export function acquireQuery(log: LogName, origin: OriginSql): PreparedQuery {
  return { name: 'log-acquire', text: upsertSql(1, origin), values: upsertValues(log) }
}

/** Creates a log if there is none, and notes its origin. */
export function openQuery(log: LogName, origin: OriginSql): PreparedQuery {
  return { name: 'log-open', text: upsertSql(0, origin), values: upsertValues(log) }
}

/**
 * Notes the origin of all logs that have none: those of the release before, and those that were moved here. Not only when
 * they are opened: otherwise a backup that is made before has logs without one.
 */
export function adoptQuery(origin: OriginSql): PreparedQuery {
  const text = `with ${hereSql(origin)} update logs set origin = here.origin from here where logs.origin = ''`
  return { name: 'log-adopt', text, values: [] }
}

/** Trims a log up to a number, or up to its end. The entries are deleted later. */
export function trimQuery(log: LogName, upTo: number): PreparedQuery {
  return { name: 'log-trim', text: trimSql, values: [log, Math.floor(upTo)] }
}

/** Removes a log. Its entries are deleted later. */
export function removeQuery(log: LogName): PreparedQuery {
  return { name: 'log-remove', text: removeSql, values: [log, Number.MAX_SAFE_INTEGER] }
}

function upsertSql(fence: 0 | 1, origin: OriginSql): string {
  return `with ${hereSql(origin)}, ${durableSql}
    insert into logs (name, epoch, fence, timeline, origin)
      select $1::text, $2::text, ${fence}, here.timeline, here.origin from here, durable where ${readsDurableSql}
    on conflict (name) do update set fence = logs.fence + ${fence}, ${noteOriginSql({ newGeneration: '$3::text' })}
    returning epoch, fence`
}

/** A new log takes the epoch, and one from elsewhere the generation. Both are random, so that none is used twice. */
function upsertValues(log: LogName): readonly unknown[] {
  return [log, createEpoch(), createEpoch()]
}

const trimSql = `with ${durableSql}, wanted as (
    select l.name, least($2::bigint, coalesce(
      (select e.seq from log_entries e where e.epoch = l.epoch order by e.seq desc limit 1), 0)) as up_to
    from logs l, durable where l.name = $1 and ${readsDurableSql}),
  trimmed as (
    update logs l set trimmed = w.up_to from wanted w
    where l.name = w.name and l.trimmed < w.up_to returning l.epoch, l.trimmed)
  insert into log_removals (epoch, up_to) select epoch, trimmed from trimmed
  on conflict (epoch) do update set up_to = greatest(log_removals.up_to, excluded.up_to)`

const removeSql = `with ${durableSql},
  removed as (delete from logs using durable where name = $1 and ${readsDurableSql} returning epoch)
  insert into log_removals (epoch, up_to) select epoch, $2::bigint from removed
  on conflict (epoch) do update set up_to = excluded.up_to`
