import type { DamagedRun, Run } from '@throughline/store'

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
  /** Goes on with a run whose node is gone, or ends it. Resolves when the run is under way, or has ended. */
  takeOver(run: Run): Promise<void>
  /** Ends a run whose row is damaged. */
  takeOverDamaged(run: DamagedRun): Promise<void>
  /** Stops to work on a run that belongs to another node. Writes no end. */
  abandon(run: Run): void
  /** Sends to channels what a dead node did not send. */
  deliverLeft(): Promise<void>
}
