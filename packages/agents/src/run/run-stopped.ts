import type { EndStatus } from '@throughline/protocol'

/** The reason of an abort signal that ends a run or one of its agents. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  readonly status: Exclude<EndStatus, 'finished' | 'failed'>

  constructor(status: RunStopped['status'], message: string) {
    super(message)
    this.status = status
  }
}

/**
 * The reason of an abort signal when another process goes on with the run. Nothing may be written or settled any more: the
 * run, and the approvals that it waits for, belong to that process.
 */
export class RunLeft extends RunStopped {
  constructor() {
    super('interrupted', 'Another server goes on with this answer.')
  }
}
