import { cuts } from './cuts.ts'
import { damage } from './damage/damage.ts'
import { blink } from './database/blink.ts'
import { failover } from './database/failover.ts'
import { partition } from './database/partition.ts'
import { passingErrors } from './database/passing-errors.ts'
import { diskFull } from './disk-full.ts'
import { kills } from './kills/kills.ts'
import { nodeKills, nodePauses } from './node-deaths.ts'
import { poison } from './nodes/poison.ts'
import { skew } from './nodes/skew.ts'
import { powerLoss } from './power-loss.ts'
import { provider } from './provider.ts'
import { races } from './races.ts'
import { restore } from './restore/restore.ts'
import { retries } from './retries.ts'
import { rolling } from './rolling/rolling.ts'
import type { Scenario } from './scenario.ts'

interface ListedScenario {
  readonly scenario: Scenario
  /** Its share of the time. */
  readonly share: number
  /** One case takes minutes, or needs a C compiler or proxies. So it runs only if its name or a count is given. */
  readonly isOnRequest?: boolean
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
  { scenario: powerLoss, share: 2, isOnRequest: true },
  { scenario: nodeKills, share: 5, isOnRequest: true },
  { scenario: nodePauses, share: 5, isOnRequest: true },
  { scenario: blink, share: 5, isOnRequest: true },
  { scenario: failover, share: 5, isOnRequest: true },
  { scenario: partition, share: 5, isOnRequest: true },
  { scenario: passingErrors, share: 5, isOnRequest: true },
  { scenario: restore, share: 5, isOnRequest: true },
  { scenario: skew, share: 5, isOnRequest: true },
  { scenario: poison, share: 5, isOnRequest: true },
  { scenario: rolling, share: 5, isOnRequest: true },
]
