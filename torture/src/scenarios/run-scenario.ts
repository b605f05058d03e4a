import { mkdir } from 'node:fs/promises'
import type { Place, Scenario } from './scenario.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'

export interface ScenarioGoal {
  /** The seed of the first case. Each later case has the next number. */
  readonly seed: number
  /** The scenario ends when it has done this much. */
  readonly count: number
  /** And when this time is over, in milliseconds since 1970. */
  readonly until: number
  /** And after this many cases. */
  readonly cases: number
}

/** What a scenario did, and the seed of the first case that found something. */
export interface ScenarioResult extends Tally {
  readonly name: string
  readonly seed: number
  readonly cases: number
  readonly failedSeed: number | undefined
  readonly durationMs: number
}

/** Runs cases until a goal is reached, or until one finds a violation. */
export async function runScenario(
  scenario: Scenario,
  place: Place,
  goal: ScenarioGoal,
): Promise<ScenarioResult> {
  const began = Date.now()
  const folder = `${place.folder}/${scenario.name}`
  await mkdir(folder, { recursive: true })
  await using torturer = await scenario.open({ ...place, folder })
  let tally = emptyTally
  let cases = 0
  let failedSeed: number | undefined

  async function work(lane: number): Promise<void> {
    while (
      failedSeed === undefined &&
      cases < goal.cases &&
      tally.done < goal.count &&
      Date.now() < goal.until
    ) {
      const seed = goal.seed + cases
      cases += 1
      const found = await runCase(() => torturer.run(seed, lane), seed)
      tally = addTallies([tally, found])
      if (found.violations.length > 0) failedSeed ??= seed
    }
  }
  const lanes = Math.min(torturer.lanes, goal.cases)
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)))
  const { name } = scenario
  return { ...tally, name, seed: goal.seed, cases, failedSeed, durationMs: Date.now() - began }
}

/** A case that throws has found something, too: the error is shown with the seed that repeats it. */
async function runCase(run: () => Promise<Tally>, seed: number): Promise<Tally> {
  try {
    return await run()
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return {
      ...emptyTally,
      violations: [{ kind: 'other', invariant: 'E4', chatId: `case ${seed}`, detail }],
    }
  }
}
