/** Does a piece of work when it is its turn, and returns what the work returns. */
export type TakeTurns = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Returns a function that does at most `count` pieces of work at once. The others wait in line. So many long readers
 * together load the process no more than `count` of them do, and each of them gets its turn.
 */
export function takeTurns(count: number): TakeTurns {
  const waiting: (() => void)[] = []
  let free = count

  async function enter(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    await new Promise<void>(go => waiting.push(go))
  }

  /** Gives the place to the first in line. */
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return async work => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
