import type { Store } from '@throughline/store'
import type { ServerNode } from './server-node.ts'

/** Returns the store as the runs of a node use it: runs that are claimed get the node's name, and only its own runs write. */
export function nodeStore(store: Store, { id: nodeId, log }: Pick<ServerNode, 'id' | 'log'>): Store {
  return {
    ...store,
    log,
    runs: { ...store.runs, claim: (run, start) => store.runs.claim(run, { ...start, nodeId }) },
  }
}
