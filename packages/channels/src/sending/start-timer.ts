/** Calls back once after a time; what it returns calls that off. */
export type StartTimer = (run: () => void, ms: number) => () => void

/** About 25 days. Beyond it, timers of Node run at once. */
const longestMs = 2 ** 31 - 1

export const startTimer: StartTimer = (run, ms) => {
  const timer = setTimeout(run, Math.min(ms, longestMs))
  return () => clearTimeout(timer)
}
