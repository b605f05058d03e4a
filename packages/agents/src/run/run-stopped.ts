import type { EndStatus } from '@throughline/protocol/metadata'

/** Why a run, or one agent of it, was ended from outside; the reason of its abort signal. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  readonly status: Exclude<EndStatus, 'finished' | 'failed'>

  constructor(status: RunStopped['status'], message: string) {
    super(message)
    this.status = status
  }
}
