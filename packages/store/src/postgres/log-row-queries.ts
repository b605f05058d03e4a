import type { LogName } from '@throughline/log'
import { createEpoch } from '@throughline/protocol'
import { noteTimelineSql, timelineSql } from './log-timeline.ts'
import type { PreparedQuery } from './prepared-query.ts'

interface TimelineOption {
  readonly isTimelineTracked: boolean
}

/** Takes the lease of a log, and creates the log if there is none. Returns its epoch and the new fence. */
export function acquireQuery(log: LogName, { isTimelineTracked }: TimelineOption): PreparedQuery {
  return { name: 'log-acquire', text: acquireSql, values: [log, createEpoch(), isTimelineTracked] }
}

/** Creates a log if there is none, and notes the timeline of the server. */
export function openQuery(log: LogName, { isTimelineTracked }: TimelineOption): PreparedQuery {
  return { name: 'log-open', text: openSql, values: [log, createEpoch(), isTimelineTracked] }
}

/** Trims a log up to a number, or up to its end. The entries are deleted later. */
export function trimQuery(log: LogName, upTo: number): PreparedQuery {
  return { name: 'log-trim', text: trimSql, values: [log, Math.floor(upTo)] }
}

/** Removes a log. Its entries are deleted later. */
export function removeQuery(log: LogName): PreparedQuery {
  return { name: 'log-remove', text: removeSql, values: [log, Number.MAX_SAFE_INTEGER] }
}

function upsertSql(fence: 0 | 1): string {
  return `insert into logs (name, epoch, fence, timeline) values ($1, $2, ${fence}, ${timelineSql('$3')})
    on conflict (name) do update set fence = logs.fence + ${fence}, ${noteTimelineSql} returning epoch, fence`
}

const acquireSql = upsertSql(1)
const openSql = upsertSql(0)

const trimSql = `with wanted as (
    select l.name, least($2::bigint, coalesce(
      (select e.seq from log_entries e where e.epoch = l.epoch order by e.seq desc limit 1), 0)) as up_to
    from logs l where l.name = $1),
  trimmed as (
    update logs l set trimmed = w.up_to from wanted w
    where l.name = w.name and l.trimmed < w.up_to returning l.epoch, l.trimmed)
  insert into log_removals (epoch, up_to) select epoch, trimmed from trimmed
  on conflict (epoch) do update set up_to = greatest(log_removals.up_to, excluded.up_to)`

const removeSql = `with removed as (delete from logs where name = $1 returning epoch)
  insert into log_removals (epoch, up_to) select epoch, $2::bigint from removed
  on conflict (epoch) do update set up_to = excluded.up_to`
