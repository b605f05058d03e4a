import type { ServerPool } from '../server/server-pool.ts'
import type { Witness } from '../witness/witness.ts'
import type { Tally, Unit } from './tally.ts'

/** One way to torture a server. */
export interface Scenario {
  readonly name: string
  readonly unit: Unit
  /** Prepares what all cases of the scenario share. */
  open(place: Place): Promise<Torturer>
}

/** What all scenarios share. */
export interface Place {
  /** An empty folder of the scenario's own. */
  readonly folder: string
  readonly pool: ServerPool
  readonly witness: Witness
}

/** Runs the cases of a scenario. */
export interface Torturer extends AsyncDisposable {
  /** How many cases may run at the same time. */
  readonly lanes: number
  /**
   * Runs one case. The seed decides everything except what the machine decides: how long things take. `lane` tells apart
   * the cases that run at the same time.
   */
  run(seed: number, lane: number): Promise<Tally>
}
