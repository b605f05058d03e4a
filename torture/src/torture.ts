import { openRack } from './open-rack.ts'
import type { Command } from './report/command-line.ts'
import type { RecordedRun } from './report/record.ts'
import { allScenarios } from './scenarios/all-scenarios.ts'
import { runScenario, type ScenarioGoal } from './scenarios/run-scenario.ts'
import type { Scenario } from './scenarios/scenario.ts'

type Result = RecordedRun['results'][number]

/** Runs scenarios one after the other. `onResult` gets what each did, as soon as it has ended. */
export async function torture(
  command: Command,
  onResult: (result: Result) => void,
): Promise<readonly Result[]> {
  await using rack = await openRack()
  const results: Result[] = []
  for (const { scenario, share } of chosenFrom(command)) {
    const goal = goalOf(command, scenario, share)
    // Nothing of this unit was asked for.
    if (goal.count === 0) continue
    const result = { ...(await runScenario(scenario, rack, goal)), unit: scenario.unit }
    results.push(result)
    onResult(result)
  }
  return results
}

function chosenFrom({ only, counts }: Command) {
  return allScenarios.filter(({ scenario: { name, unit }, isOnRequest = false }) =>
    only.length > 0 ? only.includes(name) : !isOnRequest || counts[unit] !== undefined,
  )
}

/**
 * The time is shared over the chosen scenarios. If counts are given, a scenario whose unit has no count does nothing,
 * unless it was chosen by its name.
 */
function goalOf(command: Command, { unit, name }: Scenario, share: number): ScenarioGoal {
  const { seed, minutes, cases, counts, only } = command
  const shares = chosenFrom(command).reduce((sum, each) => sum + each.share, 0)
  const isCounted = Object.keys(counts).length > 0 && !only.includes(name)
  return {
    seed,
    cases,
    count: countOf(counts[unit], name) ?? (isCounted ? 0 : Infinity),
    until: minutes === undefined ? Infinity : Date.now() + (minutes * 60_000 * share) / shares,
  }
}

/** Both `cuts` and `provider` make cuts. One in fifty is the provider's, because each of those is a whole run. */
function countOf(count: number | undefined, name: string): number | undefined {
  if (count === undefined) return undefined
  if (name === 'provider') return Math.ceil(count / 50)
  return name === 'cuts' ? count - Math.ceil(count / 50) : count
}
