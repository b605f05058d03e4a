import { type LogStore, logName } from '@throughline/log'
import { type ChatState, chatFrom, type Entry, type Position } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { isDamage } from './is-damage.ts'
import type { ReadLogOptions } from './run-log.ts'

const pageSize = 512

/**
 * Folds the entries of a run up to the first one that is damaged. The state has the number of the log's last entry, so
 * that the run can go on behind the damage. Entries after the damage are left out: nobody knows what they belong to.
 *
 * Folds the entries of other runs too when `run.id` is not the id that the entries have. All entries after `afterSeq`
 * must then belong to this run.
 */
export function readUntilDamage({ isIdKnown }: { readonly isIdKnown: boolean }) {
  return async (log: LogStore, run: Run, { head, foldEntry }: ReadLogOptions): Promise<ChatState> => {
    let chat = chatFrom([], Math.min(run.afterSeq, head.seq))
    try {
      for await (const entry of wholeEntries(log, run, { ...head, seq: chat.seq })) {
        chat = !isIdKnown || entry.runId === run.id ? foldEntry(chat, entry) : { ...chat, seq: entry.seq }
      }
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    return { ...chat, seq: head.seq }
  }
}

/** Yields the entries after a position, and throws at the first one that is damaged. */
async function* wholeEntries(log: LogStore, run: Run, after: Position): AsyncGenerator<Entry> {
  // A page with a damaged entry cannot be read at all. Smaller pages lead to the last entry before it.
  for (let { seq } = after, limit = pageSize; ; ) {
    try {
      const page = await log.read(logName(run), { ...after, seq }, limit)
      yield* page
      if (page.length === 0) return
      seq += page.length
    } catch (error) {
      if (limit === 1 || !isDamage(error)) throw error
      limit = Math.ceil(limit / 4)
    }
  }
}
