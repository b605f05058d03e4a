import { createEpoch } from '@throughline/protocol'
import { SqlError } from '../sql.ts'
import type { PatientQueries } from './patient-queries.ts'

// A standby that takes over may lack the last entries that its primary had acknowledged. New entries would then reuse
// their numbers. The server starts a new timeline in that case. A log that is first used on a new timeline gets a new
// epoch, so that no reader mistakes new entries for those it has seen.
//
// The rows of the entries keep the epoch that the log was created with. The epoch in positions is that one and the
// generation of the log: the timeline since which positions are new, or nothing.

/** The length of an epoch without a generation. */
const storedLength = createEpoch().length

/** Returns the epoch that positions of a log have. */
export function publicEpoch({ epoch, generation }: { epoch: string; generation: string }): string {
  return epoch + generation
}

/** Returns the epoch that the rows of a log have. */
export function storedEpoch(epoch: string): string {
  return epoch.slice(0, storedLength)
}

/** Returns the generation that an epoch in positions has. */
export function generationOf(epoch: string): string {
  return epoch.slice(storedLength)
}

/** SQL for the timeline of the server, or empty text when the parameter `isTracked` is false. */
export function timelineSql(isTracked: string): string {
  return `case when ${isTracked}::boolean then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) else '' end`
}

/**
 * The part of an upsert of `logs` that notes the timeline of the server. A log without one keeps its epoch: it was made
 * while timelines were not tracked, or it comes from another database.
 */
export const noteTimelineSql = `generation = case
    when excluded.timeline = '' or logs.timeline in ('', excluded.timeline) then logs.generation
    else excluded.timeline end,
  timeline = coalesce(nullif(excluded.timeline, ''), logs.timeline)`

/** Returns whether the server says its timeline. Some databases that speak the protocol of Postgres do not. */
export async function knowsTimeline(queries: PatientQueries): Promise<boolean> {
  try {
    await queries.run({ name: 'log-timeline', text: `select ${timelineSql('true')}`, values: [] })
    return true
  } catch (error) {
    const isRefused = error instanceof SqlError && error.code !== 'unreachable' && error.code !== 'closed'
    if (isRefused) return false
    throw error
  }
}
