import type { Entry, EntryDraft } from '@throughline/protocol/entry'
import { createEpoch, type Position } from '@throughline/protocol/position'
import { createBells } from './bells.ts'
import { fencedError, type LogName, type LogStore, unknownPositionError } from './log-store.ts'

interface Log {
  readonly epoch: string
  readonly entries: Entry[]
  fence: number
}

/** A log store for tests and trials: everything is gone when the process ends. */
export function createMemoryLogStore(): LogStore {
  const logs = new Map<LogName, Log>()
  const bells = createBells()

  function ensure(log: LogName): Log {
    const found = logs.get(log) ?? { epoch: createEpoch(), entries: [], fence: 0 }
    logs.set(log, found)
    return found
  }

  return {
    async acquire(log) {
      const found = ensure(log)
      found.fence += 1
      return { log, fence: found.fence, head: headOf(found) }
    },

    async append(lease, drafts) {
      const found = logs.get(lease.log)
      if (found?.epoch !== lease.head.epoch || found.fence !== lease.fence) throw fencedError(lease)
      const entries = number(drafts, found.entries.length)
      found.entries.push(...entries)
      bells.ring(lease.log)
      return entries
    },

    async read(log, after, limit) {
      const found = logs.get(log)
      if (found?.epoch !== after.epoch || after.seq > found.entries.length)
        throw unknownPositionError(log, after)
      return found.entries.slice(after.seq, after.seq + limit)
    },

    async open(log) {
      return headOf(ensure(log))
    },

    onAppend: bells.listen,

    async remove(log) {
      logs.delete(log)
      bells.ring(log)
    },
  }
}

function headOf({ epoch, entries }: Log): Position {
  return { epoch, seq: entries.length }
}

function number(drafts: readonly EntryDraft[], last: number): Entry[] {
  return drafts.map((draft, index) => ({ seq: last + 1 + index, ...draft }))
}
