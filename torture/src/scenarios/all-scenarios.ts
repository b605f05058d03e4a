import { cuts } from './cuts.ts'
import { damage } from './damage.ts'
import { diskFull } from './disk-full.ts'
import { kills } from './kills.ts'
import { nodeKills, nodePauses } from './node-deaths.ts'
import { provider } from './provider.ts'
import { races } from './races.ts'
import { retries } from './retries.ts'
import type { Scenario } from './scenario.ts'

/** Every scenario, with its share of the time. Kills take the longest: each starts a process. */
export const allScenarios: readonly { readonly scenario: Scenario; readonly share: number }[] = [
  { scenario: kills, share: 10 },
  { scenario: cuts, share: 5 },
  { scenario: provider, share: 1 },
  { scenario: races, share: 5 },
  { scenario: retries, share: 1 },
  { scenario: diskFull, share: 1 },
  { scenario: damage, share: 2 },
  { scenario: nodeKills, share: 5 },
  { scenario: nodePauses, share: 5 },
]
