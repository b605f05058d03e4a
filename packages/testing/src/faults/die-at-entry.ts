import { LogError } from '@throughline/log'
import type { Store } from '@throughline/store/testing'

export interface DyingStore {
  readonly store: Store
  /** Resolves when the process is dead. */
  readonly dead: Promise<void>
  /** Ends what the dead process waits for, as for a process that finds that another one has its runs. */
  bury(): void
}

/** Returns a store for a process that dies as soon as a log has this many entries: from then on it writes nothing. */
export function dieAtEntry(store: Store, count: number): DyingStore {
  const { log } = store
  const dead = Promise.withResolvers<void>()
  const buried = Promise.withResolvers<void>()
  return {
    dead: dead.promise,
    bury: () => buried.resolve(),
    store: {
      ...store,
      log: {
        ...log,
        async append(lease, after, drafts) {
          const left = Math.max(0, count - after)
          if (left >= drafts.length) return log.append(lease, after, drafts)
          if (left > 0) await log.append(lease, after, drafts.slice(0, left))
          dead.resolve()
          await buried.promise
          throw new LogError('fenced', lease.log, 'The process is dead.')
        },
      },
    },
  }
}
