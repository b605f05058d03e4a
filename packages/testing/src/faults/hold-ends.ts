import type { Store } from '@throughline/store/testing'

/** Returns a store in which the end of an answer is never written, as if the process died right before. */
export function holdEnds(store: Store): Store {
  const { log } = store
  return {
    ...store,
    log: {
      ...log,
      async append(lease, after, drafts) {
        const end = drafts.findIndex(({ chunk }) => chunk.type === 'finish')
        if (end === -1) return log.append(lease, after, drafts)
        if (end > 0) await log.append(lease, after, drafts.slice(0, end))
        return new Promise(() => undefined)
      },
    },
  }
}
