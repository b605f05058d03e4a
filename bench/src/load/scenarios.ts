import type { Section } from '../report.ts'
import { measureIdle } from './idle.ts'
import type { LoadOptions } from './load-options.ts'
import { measureRuns, runsSizes } from './runs.ts'

/** What a scenario has measured: the rows for people, and all figures for the record. */
export interface LoadResult {
  readonly section: Section
  readonly figures: unknown
}

/** The scenarios of `npm run bench -- load`, in the order in which they are measured. */
export const scenarios: Readonly<Record<string, (options: LoadOptions) => Promise<LoadResult>>> = {
  async runs({ seconds = 5, runs, withPeers }) {
    const sizes = runsSizes.filter(size => runs === undefined || runs.includes(size.runs))
    const { section, points } = await measureRuns({ seconds, sizes, withPeers })
    return { section, figures: points }
  },
  async idle({ viewers = 10_000 }) {
    return measureIdle({ viewers })
  },
}
