import type { Section } from './report.ts'

/** What a scenario has measured: the rows for people, and all figures for the record. */
export interface ScenarioResult {
  readonly section: Section
  readonly figures: unknown
  readonly pictures?: readonly ScenarioPicture[]
}

/** A picture for the documentation. */
export interface ScenarioPicture {
  /** The name of its file in docs/images. */
  readonly file: string
  /** What it shows, for people who cannot see it. */
  readonly alt: string
  readonly svg: string
}

/** The scenarios of a bench by their names, in the order in which they are measured. */
export type Scenarios<Options> = Readonly<Record<string, (options: Options) => Promise<ScenarioResult>>>
