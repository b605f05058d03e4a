import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { QuietRounds } from '../load/quiet-rounds.ts'
import { formatFigure, type Measurement, type Section } from '../report.ts'
import { median } from '../timing.ts'
import { goals, type LayerGoal, type LoadName, type LoadPlace, type LoadSize, measureLoad } from './goals.ts'
import type { Layer } from './layers.ts'
import { assertModules, assertReplaced, serverEnv } from './server-env.ts'

interface MeasureOptions extends LoadSize, Pick<LoadPlace, 'postgres'> {
  /** How often each load is measured with and without the layer. Default: 5. */
  readonly rounds?: number | undefined
}

/** One load, with the layer and without it, one right after the other. */
type Round = Readonly<Record<'with' | 'without', Readonly<Record<string, number>>>>

/** What a layer gives of one goal, in every round. */
export interface GoalFigures {
  readonly goal: LayerGoal
  readonly with: readonly number[]
  readonly without: readonly number[]
  /** How much less it is with the layer, as a share of the goal. */
  readonly gains: readonly number[]
}

/** How many pairs of measurements there were, and how many of them count. */
interface Measured {
  readonly counted: number
  readonly all: number
  readonly options: LoadSize
}

/** A layer that gives less than this of each of its goals goes. */
const minGain = 0.1

/** Measures the goals of one layer with it and without it, in turns. Throws when the layer was not left out. */
export async function measureLayer(layer: Layer, options: MeasureOptions) {
  assertModules(layer)
  const { rounds = 5 } = options
  const quiet = new QuietRounds()
  const found = layer.goals.map((each): LayerGoal => goals[each])
  const roundsOf = new Map<LoadName, readonly Round[]>()
  const measured = { counted: 0, all: 0, options }
  for (const load of new Set(found.map(goal => goal.load))) {
    const { counted, all } = await quiet.rounds(rounds, count =>
      measureRound(layer, { load, count, options }),
    )
    roundsOf.set(load, counted)
    measured.counted += counted.length
    measured.all += all
  }
  const figures = found.map(goal => goalFigures(goal, roundsOf.get(goal.load) ?? []))
  return { figures, section: sectionOf(layer, figures, measured) }
}

interface RoundOptions {
  readonly load: LoadName
  /** How many rounds came before. */
  readonly count: number
  readonly options: MeasureOptions
}

async function measureRound(layer: Layer, { load, count, options }: RoundOptions): Promise<Round> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-layers-'))
  const replaced = join(folder, 'replaced')
  const measure = (without?: Layer) => measureLoad(load, { ...options, env: serverEnv(without, replaced) })
  try {
    // What is measured second finds the machine as the first one has left it. So each is the first one half of the times.
    const isWithFirst = count % 2 === 0
    const first = await measure(isWithFirst ? undefined : layer)
    const second = await measure(isWithFirst ? layer : undefined)
    await assertReplaced(layer, replaced)
    return isWithFirst ? { with: first, without: second } : { with: second, without: first }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function goalFigures(goal: LayerGoal, rounds: readonly Round[]): GoalFigures {
  const { figure, limit } = goal
  const read = (side: keyof Round) => rounds.map(round => round[side][figure] ?? Number.NaN)
  const [kept, left] = [read('with'), read('without')]
  const gains = kept.map((value, index) => {
    const without = left[index] ?? Number.NaN
    return (without - value) / (limit ?? without)
  })
  return { goal, with: kept, without: left, gains }
}

function sectionOf({ name, what }: Layer, figures: readonly GoalFigures[], measured: Measured): Section {
  const most = Math.max(...figures.map(({ gains }) => median(gains)))
  const verdict = most >= minGain ? 'it stays' : 'it goes'
  return {
    title: `Layers, ${name}: ${verdict}`,
    notes: [
      `The layer: ${what}. Each load is measured with it and without it, one right after the other, in new processes.`,
      'Without it, plain modules take the places of its own. The figures are medians, with the least and the most in brackets.',
      'A gain is how much less it is with the layer: as a share of the limit of the goal, or of the cost without the layer',
      `where there is no limit. A layer stays that gives ${minGain * 100} % of one of its goals. ${measured.counted} of ${measured.all} pairs count (see`,
      `docs/benchmarks.md).${sizesOf(measured.options)}`,
    ],
    columns: { ours: 'with', other: 'without', result: 'gain' },
    measurements: [
      ...figures.flatMap(rowsOf),
      {
        name: `the most that ${name} gives of a goal`,
        ...{ ours: verdict, other: '', ratio: percent(most), unit: '%' },
        goal: { atLeast: percent(minGain) },
      },
    ],
  }
}

/** Returns a sentence when the loads are not those of the goals. */
function sizesOf({ runs, viewers, seconds, minutes }: LoadSize): string {
  const sizes = Object.entries({ runs, viewers, seconds, minutes }).filter(([, size]) => size !== undefined)
  return sizes.length === 0
    ? ''
    : ` NOT with the loads of the goals: ${sizes.map(size => size.join(' ')).join(', ')}.`
}

function rowsOf({ goal, gains, ...figures }: GoalFigures): readonly Measurement[] {
  const { name, unit, limit } = goal
  const inUnit = (value: number) => formatFigure(value, unit === 'x' ? undefined : unit)
  const range = (values: readonly number[], format: (value: number) => string) =>
    `${format(Math.min(...values))} to ${format(Math.max(...values))}`
  const spread = (values: readonly number[]) => `${inUnit(median(values))} (${range(values, inUnit)})`
  const ratios = figures.without.map((without, index) => without / (figures.with[index] ?? Number.NaN))
  return [
    {
      name,
      ours: spread(figures.with),
      other: spread(figures.without),
      ratio: percent(median(gains)),
      unit: limit === undefined ? '%' : `% of ${inUnit(limit)}`,
      goal: undefined,
    },
    {
      name: '    ratio of without to with, and the gains of the rounds',
      ours: range(ratios, ratio => formatFigure(ratio)),
      other: range(gains, gain => formatFigure(percent(gain), '%')),
      ratio: median(ratios),
      goal: undefined,
    },
  ]
}

function percent(share: number): number {
  return Math.round(share * 1_000) / 10
}
