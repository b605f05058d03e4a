import { assertScenarios, type Bench, measureScenarios } from '../measure-scenarios.ts'
import type { Section } from '../report.ts'
import { type LoadOptions, loadUsage } from './load-options.ts'
import { scenarios } from './scenarios.ts'

const bench: Bench<LoadOptions> = { name: 'load', usage: loadUsage, scenarios }

/** Measures the scenarios that are named, or all of them. Throws when there is no such scenario. */
export function measureLoad(options: LoadOptions): AsyncIterable<Section> {
  assertScenarios(bench, options.names)
  return measureScenarios(bench, options)
}
