import { assertScenarios, type Bench, measureScenarios } from '../measure-scenarios.ts'
import type { Section } from '../report.ts'
import { type ScaleOptions, scaleUsage } from './scale-options.ts'
import { openScalePostgres } from './scale-postgres.ts'
import { type ScaleWork, scenarios } from './scenarios.ts'

const bench: Bench<ScaleWork> = { name: 'scale', usage: scaleUsage, scenarios }

/** Measures the scenarios that are named, or all of them. Throws when there is no such scenario. */
export function measureScale(options: ScaleOptions): AsyncIterable<Section> {
  assertScenarios(bench, options.names)
  return measureOnPostgres(options)
}

async function* measureOnPostgres(options: ScaleOptions): AsyncGenerator<Section> {
  await using postgres = await openScalePostgres()
  yield* measureScenarios({ ...bench, ranOn: postgres.description }, { ...options, serverUrl: postgres.url })
}
