import { createEpoch, type Entry } from '@throughline/protocol'
import { createBells } from './bells.ts'
import { assertKnown, assertWritable, type LogExtent, type LogName, type LogStore } from './log-store.ts'
import { entriesFrom, sealDrafts } from './seal-drafts.ts'

interface Log {
  readonly epoch: string
  /** The entries after those that were trimmed. */
  entries: Entry[]
  trimmed: number
  fence: number
}

/** Returns a log store in memory, for tests and trials. Everything is lost when the process ends. */
export function createMemoryLogStore({ now = Date.now } = {}): LogStore {
  const logs = new Map<LogName, Log>()
  const bells = createBells()

  function ensure(log: LogName): Log {
    const found = logs.get(log) ?? { epoch: createEpoch(), entries: [], trimmed: 0, fence: 0 }
    logs.set(log, found)
    return found
  }

  return {
    async acquire(log) {
      const found = ensure(log)
      found.fence += 1
      const { epoch, seq } = extentOf(found)
      return { log, fence: found.fence, head: { epoch, seq } }
    },

    async append(lease, after, drafts) {
      const found = logs.get(lease.log)
      const sealed = sealDrafts(lease.log, drafts)
      assertWritable(lease, after, found && { ...extentOf(found), fence: found.fence })
      const entries = entriesFrom(sealed, { first: after + 1, at: now() })
      for (const entry of entries) found?.entries.push(entry)
      bells.ring(lease.log)
      return entries
    },

    release() {},

    async read(log, after, limit) {
      const found = logs.get(log)
      assertKnown(log, after, found && extentOf(found))
      const start = after.seq - (found?.trimmed ?? 0)
      return found?.entries.slice(start, start + limit) ?? []
    },

    async open(log) {
      const { epoch, seq } = extentOf(ensure(log))
      return { epoch, seq }
    },

    async trim(log, upTo) {
      const found = logs.get(log)
      if (found === undefined || upTo <= found.trimmed) return
      const count = Math.min(upTo, extentOf(found).seq) - found.trimmed
      found.entries = found.entries.slice(count)
      found.trimmed += count
      bells.ring(log)
    },

    onAppend: bells.listen,

    async remove(log) {
      logs.delete(log)
      bells.ring(log)
    },
  }
}

function extentOf({ epoch, entries, trimmed }: Log): LogExtent {
  return { epoch, seq: trimmed + entries.length, trimmed }
}
