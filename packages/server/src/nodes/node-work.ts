import type { LogStore } from '@throughline/log'
import type { DamagedRun, Run, Store } from '@throughline/store'
import type { Fate } from '../recovery/fate.ts'

/** A run that goes on in this process. */
export interface RunUnderWay {
  readonly run: Run
  /** Resolves when nothing works on the run any more. Never rejects. */
  readonly ended: Promise<unknown>
  /** Everything that the run shows is in the log. It is only being saved. */
  readonly isAnswered: boolean
}

/** What a node does with the runs and the channels of its process. */
export interface NodeWork {
  /** Returns the runs that go on in this process. */
  underWay(): readonly RunUnderWay[]
  /**
   * Goes on with a run whose node is gone, ends it, or makes it ready to wait in quarantine. Resolves when the run is under
   * way, waits, or has ended.
   */
  takeOver(run: Run, fate: Fate): Promise<void>
  /** Ends a run whose row is damaged. */
  takeOverDamaged(run: DamagedRun): Promise<void>
  /** Stops to work on a run that belongs to another node. Writes no end. */
  abandon(run: Run): void
  /** Sends to channels what a dead node did not send. */
  deliverLeft(): Promise<void>
}

interface NamedNode {
  readonly id: string
  /** Default: that of the store. */
  readonly log?: LogStore
  readonly isLeaving: boolean
}

/**
 * Returns the store as the runs of a node use it: runs that are claimed get the node's name, and only its own runs write.
 * A node that leaves claims runs for others: they name no node, so that another one begins them at once.
 */
export function nodeStore(store: Store, node: NamedNode): Store {
  const { id, log = store.log } = node
  return {
    ...store,
    log,
    runs: {
      ...store.runs,
      async claim(run, start) {
        const { isLeaving } = node
        const isClaimed = await store.runs.claim(run, isLeaving ? start : { ...start, nodeId: id })
        if (isLeaving && isClaimed) store.signals.ringNodes()
        return isClaimed
      },
    },
  }
}
