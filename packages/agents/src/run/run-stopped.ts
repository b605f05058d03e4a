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
