import type { Scenarios } from '../scenario.ts'
import type { ScaleOptions } from './scale-options.ts'
import { measureAppend } from './scenarios/append.ts'
import { measureBell } from './scenarios/bell.ts'
import { measureNodes } from './scenarios/nodes.ts'
import { measureTakeover } from './scenarios/takeover.ts'

/** The options, and the Postgres server to measure on. */
export interface ScaleWork extends ScaleOptions {
  /** The URL of a database whose user may create databases. Each measurement gets a new database. */
  readonly serverUrl: string
}

/** The scenarios of `npm run bench -- scale`, in the order in which they are measured. */
export const scenarios: Scenarios<ScaleWork> = {
  append: ({ serverUrl, seconds = 2 }) =>
    measureAppend({ serverUrl, logs: [250, 1_000], seconds, rounds: 9 }),
  bell: ({ serverUrl, seconds = 10 }) => measureBell({ serverUrl, seconds, rounds: 3 }),
  nodes: ({ serverUrl, seconds = 20, runs = 1_000 }) =>
    measureNodes({ serverUrl, runs, perSecond: 20, seconds, rounds: 3 }),
  takeover: ({ serverUrl, kills = 6 }) => measureTakeover({ serverUrl, kills, runs: 20 }),
}
