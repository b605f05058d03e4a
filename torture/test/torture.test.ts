import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRack } from '../src/open-rack.ts'
import { formatViolations } from '../src/report/format-result.ts'
import { allScenarios } from '../src/scenarios/all-scenarios.ts'
import { runScenario } from '../src/scenarios/run-scenario.ts'

// A short, fixed part of `npm run torture`: real servers, real kills, real files. The scenarios with several nodes take
// minutes: packages/server/test/nodes/node-processes.test.ts has their short part.
const cases: Readonly<Record<string, number>> = {
  kills: 1,
  cuts: 2,
  provider: 3,
  races: 4,
  retries: 3,
  'disk-full': 2,
  damage: 4,
}

let rack: Awaited<ReturnType<typeof openRack>>

beforeAll(async () => {
  rack = await openRack()
})

afterAll(() => rack[Symbol.asyncDispose]())

const short = allScenarios.filter(({ isOnRequest = false }) => !isOnRequest)

test.each(short.map(({ scenario }) => [scenario.name, scenario] as const))(
  '%s: nothing is lost, doubled or wrong',
  async (name, scenario) => {
    const goal = { seed: 1, count: Infinity, until: Infinity, cases: cases[name] ?? 1 }
    const result = await runScenario(scenario, rack, goal)
    expect(formatViolations(result)).toBe('')
    expect(result.cases).toBe(cases[name])
    expect(result.done).toBeGreaterThan(0)
  },
)
