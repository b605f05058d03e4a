import { createEpoch, type Entry, type Position } from '@throughline/protocol'
import { createBells } from './bells.ts'
import { assertKnown, fencedError, type LogName, type LogStore } from './log-store.ts'
import { entriesFrom, sealDrafts } from './seal-drafts.ts'

interface Log {
  readonly epoch: string
  readonly entries: Entry[]
  fence: number
}

/** Returns a log store in memory, for tests and trials. Everything is lost when the process ends. */
export function createMemoryLogStore({ now = Date.now } = {}): LogStore {
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
      const entries = entriesFrom(sealDrafts(lease.log, drafts), {
        first: found.entries.length + 1,
        at: now(),
      })
      for (const entry of entries) found.entries.push(entry)
      bells.ring(lease.log)
      return entries
    },

    async read(log, after, limit) {
      const found = logs.get(log)
      assertKnown(log, after, found && headOf(found))
      return found?.entries.slice(after.seq, after.seq + limit) ?? []
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
