import { cuts } from './cuts.ts'
import { damage } from './damage.ts'
import { diskFull } from './disk-full.ts'
import { kills } from './kills.ts'
import { nodeKills, nodePauses } from './node-deaths.ts'
import { provider } from './provider.ts'
import { races } from './races.ts'
import { retries } from './retries.ts'
import type { Scenario } from './scenario.ts'

interface ListedScenario {
  readonly scenario: Scenario
  /** Its share of the time. */
  readonly share: number
  /** One case takes minutes. So it runs only if its name or a count is given. */
  readonly isLong?: boolean
}

/** Every scenario. Kills take the longest: each starts a process. */
export const allScenarios: readonly ListedScenario[] = [
  { scenario: kills, share: 10 },
  { scenario: cuts, share: 5 },
  { scenario: provider, share: 1 },
  { scenario: races, share: 5 },
  { scenario: retries, share: 1 },
  { scenario: diskFull, share: 1 },
  { scenario: damage, share: 2 },
  { scenario: nodeKills, share: 5, isLong: true },
  { scenario: nodePauses, share: 5, isLong: true },
]
