/**
 * What becomes of a run whose node is gone.
 * - `goes-on`: at once.
 * - `waits`: in quarantine, where such runs go on one at a time.
 * - `ends`: it kills its node whenever it goes on.
 */
export type Fate = 'goes-on' | 'waits' | 'ends'

/** What is known about a run whose node is gone. */
export interface Suspicion {
  /** How many nodes died while they worked on the run. Deaths that another run explains do not count. */
  readonly deaths: number
  /** The last one of them died while the run was inside the quarantine. */
  readonly hasDiedInside: boolean
  /** No other run was on that node. */
  readonly wasAlone: boolean
  /** Somebody has asked for its end. */
  readonly isStopRequested: boolean
}

/** From this many deaths on, it is no accident any more. A run cannot be told apart from the others on its node, so all of them wait. */
const suspectAfter = 2
/** After this many deaths, a run that dies in quarantine is guilty, although other runs were on its node, too. */
const guiltyAfter = 4
/** How long a run stays in quarantine after its second death, in milliseconds. */
const firstProbationMs = 25_000

/** Returns what becomes of a run whose node is gone. `maxDeaths` ends a run whatever else is known about it. */
export function fateOf(suspicion: Suspicion, { maxDeaths }: { readonly maxDeaths: number }): Fate {
  const { deaths, hasDiedInside, wasAlone, isStopRequested } = suspicion
  // It ends in any case, and as the person wished.
  if (isStopRequested) return 'goes-on'
  if (deaths >= maxDeaths) return 'ends'
  if (hasDiedInside && (wasAlone || deaths >= guiltyAfter)) return 'ends'
  return deaths >= suspectAfter ? 'waits' : 'goes-on'
}

/**
 * Returns how long a run stays in quarantine, in milliseconds. Twice as long after each further death: a run that kills its
 * node after a minute must not leave before that for ever.
 */
export function probationMs(deaths: number): number {
  return firstProbationMs * 2 ** Math.max(0, deaths - suspectAfter)
}
