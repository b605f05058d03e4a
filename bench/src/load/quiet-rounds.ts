import { coreSpeed } from './core-speed.ts'

interface Round {
  readonly p99Ms: number
}

/** The round that counts, and how many there were. */
export interface MedianRound<Figures> {
  readonly figures: Figures
  readonly rounds: {
    /** The rounds of which the median was taken. */
    readonly counted: number
    readonly measured: number
  }
}

/** On quiet cores, the slowest one has at least this share of the highest speed that was seen. */
const quietShare = 0.8
/** How often the speed is measured to find the highest one, and how often to wait for quiet cores. */
const maxProbes = 40

/**
 * Measures a p99, or another time, on quiet cores. The cores of a virtual machine are shared: others can halve their speed for seconds, and
 * that decides such a time. So the speed of the cores is measured before and after each round, and a round only counts when
 * they were quiet both times. When too few of many rounds were quiet, all of them count.
 */
export class QuietRounds {
  readonly #speedNow: () => Promise<number>
  #fastest: number | undefined

  constructor(speedNow = coreSpeed) {
    this.#speedNow = speedNow
  }

  /** Returns the round with the median p99. */
  median<Figures extends Round>(
    count: number,
    measure: () => Promise<Figures>,
  ): Promise<MedianRound<Figures>> {
    return this.medianBy(count, measure, ({ p99Ms }) => p99Ms)
  }

  /** Returns the round with the median of what `ms` reads from it. */
  async medianBy<Figures>(
    count: number,
    measure: () => Promise<Figures>,
    ms: (figures: Figures) => number,
  ): Promise<MedianRound<Figures>> {
    const { counted, all } = await this.rounds(count, measure)
    const figures = counted.toSorted((a, b) => ms(a) - ms(b))[Math.floor(counted.length / 2)]
    if (figures === undefined) throw new RangeError('There must be at least one round.')
    return { figures, rounds: { counted: counted.length, measured: all } }
  }

  /** Returns the rounds that count, and how many there were. `measure` gets how many came before. */
  async rounds<Figures>(
    count: number,
    measure: (before: number) => Promise<Figures>,
  ): Promise<{ readonly counted: readonly Figures[]; readonly all: number }> {
    const all: Figures[] = []
    const quiet: Figures[] = []
    while (quiet.length < count && all.length < 6 * count) {
      const wasQuiet = count === 1 || (await this.#untilQuiet())
      const figures = await measure(all.length)
      all.push(figures)
      if (wasQuiet && (count === 1 || (await this.#isQuiet()))) quiet.push(figures)
    }
    return { counted: quiet.length === count ? quiet : all, all: all.length }
  }

  async #untilQuiet(): Promise<boolean> {
    for (let probe = 0; probe < maxProbes; probe += 1) if (await this.#isQuiet()) return true
    return false
  }

  async #isQuiet(): Promise<boolean> {
    if (this.#fastest === undefined) for (let probe = 0; probe < maxProbes; probe += 1) await this.#probe()
    return (await this.#probe()) >= (this.#fastest ?? 0) * quietShare
  }

  async #probe(): Promise<number> {
    const speed = await this.#speedNow()
    this.#fastest = Math.max(this.#fastest ?? 0, speed)
    return speed
  }
}
