import type { NodeCluster } from '../../nodes/node-cluster.ts'
import type { NodeStore } from '../../server/server-messages.ts'

/** The data of a case, of which a backup is made and restored. */
export interface RestoredData extends AsyncDisposable {
  /** How the backup is made and restored, in words. */
  readonly kind: string
  /** How many nodes may use the data at once. */
  readonly nodes: number
  /** Where nodes find the data now. */
  readonly storeOf: () => NodeStore
  /** The database in which a witness can note what nodes do. `undefined`: it is not Postgres. */
  readonly witnessUrl: () => string | undefined
  /** Makes the backup. Afterwards, the nodes work as before. */
  backUp(cluster: NodeCluster): Promise<void>
  /** Puts the backup in the place of the data. No node may work. Can be done several times. */
  restore(): Promise<void>
}
