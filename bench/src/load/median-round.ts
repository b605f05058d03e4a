interface Round {
  readonly p99Ms: number
}

/** Measures several times. Returns the round with the median p99. */
export async function medianRound<Figures extends Round>(
  rounds: number,
  measure: () => Promise<Figures>,
): Promise<Figures> {
  const found: Figures[] = []
  for (let round = 0; round < rounds; round += 1) found.push(await measure())
  const median = found.toSorted((a, b) => a.p99Ms - b.p99Ms)[Math.floor(rounds / 2)]
  if (median === undefined) throw new RangeError('There must be at least one round.')
  return median
}
