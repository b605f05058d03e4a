import { ProblemError } from '@throughline/protocol'
import { shuttingDown } from '../../refusals/run-refusals.ts'

/**
 * Whether this process takes new work. It does not while it starts and while it shuts down. Load balancers ask for it,
 * so that they send requests to another node in time.
 */
export class Readiness {
  #state: 'starting' | 'ready' | 'closing' = 'starting'

  /** Says that everything has started. Has no effect once the server is shutting down. */
  started(): void {
    if (this.#state === 'starting') this.#state = 'ready'
  }

  /** Says that the server is shutting down. */
  closing(): void {
    this.#state = 'closing'
  }

  /** Throws a `ProblemError` (503) unless this process takes new work. */
  assertReady(): void {
    if (this.#state === 'closing') throw shuttingDown()
    if (this.#state === 'starting')
      throw new ProblemError(503, 'starting', 'The server is starting. Try again in a moment.')
  }
}
