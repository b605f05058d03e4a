import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { openPostgresStore } from '@throughline/store/testing'
import { type DatabaseWitness, witnessDatabase } from '@throughline/testing/nodes/database-witness'
import { findPostgres } from '@throughline/testing/postgres/find-postgres'
import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { type ClusterOptions, NodeCluster } from '../../nodes/node-cluster.ts'
import type { Place, Scenario } from '../scenario.ts'
import type { Tally } from '../tally.ts'

/** Several nodes on one Postgres database, and what is done to them. */
interface ClusterScenario extends Pick<Scenario, 'name' | 'unit'> {
  readonly nodes: (random: SeededRandom) => Pick<ClusterOptions, 'size' | 'skewOf' | 'isSupervised'>
  run(opened: ClusterCase): Promise<Tally>
}

/** What a case works with. */
export interface ClusterCase {
  readonly cluster: NodeCluster
  readonly witness: DatabaseWitness
  /** Has a line for each time that a tool did its work. */
  readonly effectsFile: string
  readonly seed: number
}

/** Returns a scenario whose cases have nodes and a database of their own. */
export function clusterScenario(options: ClusterScenario): Scenario {
  const { name, unit } = options
  return {
    name,
    unit,
    async open(place) {
      const postgres = await findPostgres()
      console.log(`${name} runs on Postgres, ${postgres.origin}.`)
      return {
        lanes: 1,
        run: seed => runCase(options, { place, seed, serverUrl: postgres.url }),
        [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
      }
    },
  }
}

interface PlacedCase {
  readonly place: Place
  readonly seed: number
  readonly serverUrl: string
}

async function runCase(
  { name, nodes, run }: ClusterScenario,
  { place, seed, serverUrl }: PlacedCase,
): Promise<Tally> {
  await using database = await freshDatabase(serverUrl)
  // Creates the tables.
  await (await openPostgresStore(database.url)).close()
  await using witness = await witnessDatabase(database.url)
  const effectsFile = `${place.folder}/${seed}.effects`
  await using cluster = await NodeCluster.start({
    ...nodes(seededRandom(seed)),
    pool: place.pool,
    name: `${name}-${seed}`,
    storeOf: () => ({ type: 'postgres', url: database.url }),
    effectsFile,
    hookUrl: undefined,
  })
  return await run({ cluster, witness, effectsFile, seed })
}
