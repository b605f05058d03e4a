import type { LogStore } from '@throughline/log'

/** What happens to one ring for one listener. */
export type RingFate = 'lost' | 'once' | 'twice' | 'late'

export interface BellFaults {
  /** Used in order. After the last one comes the first one again. */
  readonly fates: readonly RingFate[]
  /** Whether listeners are also called before an append is committed. */
  readonly isEarly: boolean
}

/** How soon a store that may have lost a ring rings by itself, in milliseconds. The port allows 5,000. */
const ringsAgainMs = 2

/**
 * Returns the same store with bells as unreliable as the port allows. A ring may come early, twice or late. A ring that
 * is lost is made up for: the store rings by itself every now and then.
 */
export function withUnreliableBells(store: LogStore, { fates, isEarly }: BellFaults): LogStore {
  const listeners = new Set<() => void>()
  let count = 0

  function ringByFate(ring: () => void): void {
    const fate = fates[count % fates.length] ?? 'lost'
    count += 1
    if (fate === 'late') setImmediate(ring)
    if (fate === 'once' || fate === 'twice') ring()
    if (fate === 'twice') ring()
  }

  return {
    acquire: log => store.acquire(log),
    read: (log, after, limit) => store.read(log, after, limit),
    open: log => store.open(log),
    release: lease => store.release(lease),
    trim: (log, upTo) => store.trim(log, upTo),
    remove: log => store.remove(log),
    append(lease, after, drafts) {
      if (isEarly) for (const ring of listeners) ring()
      return store.append(lease, after, drafts)
    },
    onAppend(log, ring) {
      const unlisten = store.onAppend(log, () => ringByFate(ring))
      const again = fates.includes('lost') ? setInterval(ring, ringsAgainMs) : undefined
      listeners.add(ring)
      return () => {
        clearInterval(again)
        listeners.delete(ring)
        unlisten()
      }
    },
  }
}
