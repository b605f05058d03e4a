/** Calls back once after a time; what it returns calls that off. */
export type StartTimer = (run: () => void, ms: number) => () => void

export const startTimer: StartTimer = (run, ms) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
