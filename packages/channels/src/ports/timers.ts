/** Calls `run` once after `ms` milliseconds. Returns a function that cancels the timer. */
export type StartTimer = (run: () => void, ms: number) => () => void

/** About 25 days. Node runs longer timers at once. */
const longestMs = 2 ** 31 - 1

export const startTimer: StartTimer = (run, ms) => {
  const timer = setTimeout(run, Math.min(ms, longestMs))
  return () => clearTimeout(timer)
}

/** A time span that has begun. `cancel` stops its timer; then `passed` never resolves. */
export interface RunningTimer {
  readonly passed: Promise<'late'>
  readonly cancel: () => void
}

export function runTimer(ms: number, startTimer: StartTimer): RunningTimer {
  const { promise: passed, resolve } = Promise.withResolvers<'late'>()
  const cancel = startTimer(() => resolve('late'), ms)
  return { passed, cancel }
}
