import type { Lease } from '@throughline/log'

/**
 * Where the logs end that this process has the leases of, as far as it has read or committed it itself. It is a memory of
 * this process: a failover may have changed the end since.
 */
export class KnownEnds {
  readonly #ends = new WeakMap<Lease, number>()

  /** Notes that the log of a lease has an entry with this number, and none after it. */
  learn(lease: Lease, seq: number): void {
    this.#ends.set(lease, seq)
  }

  /** Returns whether the log of a lease is known to end with this number. */
  has(lease: Lease, seq: number): boolean {
    return this.#ends.get(lease) === seq
  }
}
