/** Resolves in this turn of the event loop, or in one of the next ones. */
export type TakeTurn = () => Promise<void>

/**
 * Returns a function for work that can wait a little. In each turn of the event loop it resolves for `count` callers, in
 * order. So when a lot of such work comes at once, what else the process has to do comes in between.
 */
export function shareTurns(count: number): TakeTurn {
  const waiting: (() => void)[] = []
  /** How many have gone on in this turn. */
  let taken = 0

  function startTurn(): void {
    const going = waiting.splice(0, count)
    taken = going.length
    if (taken > 0) setImmediate(startTurn)
    for (const go of going) go()
  }

  return async () => {
    if (taken === count) return await new Promise<void>(go => waiting.push(go))
    if (taken === 0) setImmediate(startTurn)
    taken += 1
  }
}
