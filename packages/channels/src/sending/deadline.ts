import type { StartTimer } from './start-timer.ts'

/** A time span that has begun. `cancel` stops its timer; then `passed` never resolves. */
export interface Deadline {
  readonly passed: Promise<'late'>
  readonly cancel: () => void
}

export function deadlineIn(ms: number, startTimer: StartTimer): Deadline {
  const { promise: passed, resolve } = Promise.withResolvers<'late'>()
  const cancel = startTimer(() => resolve('late'), ms)
  return { passed, cancel }
}
