import type { Lease, LogName, RecentEntries } from '@throughline/log'
import type { Entry, Position } from '@throughline/protocol'

interface Recent {
  watcherCount: number
  epoch: string
  readonly entries: Entry[]
  readonly bytes: number[]
  totalBytes: number
}

/** What an entry costs beside its text, as in the module of the product. */
const entryOverhead = 400

/** Keeps the newest entries of each log in one list, as long as there is room, however old they are. */
export function createRecentEntries({
  maxLogBytes = 256 * 1024,
  maxBytes = 32 * 1024 * 1024,
} = {}): RecentEntries {
  const recents = new Map<LogName, Recent>()

  function add(
    { log, head }: Pick<Lease, 'log' | 'head'>,
    entries: readonly Entry[],
    textBytes: number,
  ): void {
    const recent = recents.get(log)
    const [first] = entries
    if (recent === undefined || first === undefined) return
    if (recent.epoch !== head.epoch || recent.entries.at(-1)?.seq !== first.seq - 1) empty(recent)
    recent.epoch = head.epoch
    const bytes = textBytes / entries.length + entryOverhead
    for (const entry of entries) {
      recent.entries.push(entry)
      recent.bytes.push(bytes)
    }
    recent.totalBytes += bytes * entries.length
    makeRoom(recent, Math.min(maxLogBytes, maxBytes / recents.size))
  }

  function read(log: LogName, after: Position, limit: number): readonly Entry[] | undefined {
    const recent = recents.get(log)
    if (recent?.epoch !== after.epoch || !Number.isInteger(after.seq)) return undefined
    const { entries } = recent
    const start = after.seq + 1 - (entries[0]?.seq ?? 0)
    return start < 0 || start >= entries.length ? undefined : entries.slice(start, start + limit)
  }

  return {
    watch(log) {
      const recent = recents.get(log) ?? { watcherCount: 0, epoch: '', entries: [], bytes: [], totalBytes: 0 }
      recents.set(log, recent)
      recent.watcherCount += 1
      let isWatching = true
      return () => {
        if (!isWatching) return
        isWatching = false
        recent.watcherCount -= 1
        if (recent.watcherCount === 0) recents.delete(log)
      }
    },
    add,
    read,
    forget(log) {
      const recent = recents.get(log)
      if (recent !== undefined) empty(recent)
    },
  }
}

function empty(recent: Recent): void {
  recent.entries.length = 0
  recent.bytes.length = 0
  recent.totalBytes = 0
}

function makeRoom(recent: Recent, maxBytes: number): void {
  let count = 0
  for (; recent.totalBytes > maxBytes && count < recent.entries.length - 1; count += 1)
    recent.totalBytes -= recent.bytes[count] ?? 0
  recent.entries.splice(0, count)
  recent.bytes.splice(0, count)
}
