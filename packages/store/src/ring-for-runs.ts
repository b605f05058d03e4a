import type { Runs } from './runs.ts'
import type { Signals } from './signals.ts'

/** Returns the same runs. They ring for the chat of a run that begins or ends: a list of chats shows whether one goes on. */
export function ringForRuns(runs: Runs, signals: Pick<Signals, 'ring'>): Runs {
  return {
    ...runs,
    async claim(run, start) {
      const isClaimed = await runs.claim(run, start)
      if (isClaimed) signals.ring(run)
      return isClaimed
    },
    async end(run, end) {
      const isEnded = await runs.end(run, end)
      signals.ring(run)
      return isEnded
    },
    async endDamaged(run, end) {
      const isEnded = await runs.endDamaged(run, end)
      if (run.chat !== undefined) signals.ring(run.chat)
      return isEnded
    },
  }
}
