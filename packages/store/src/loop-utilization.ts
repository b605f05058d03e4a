import { performance } from 'node:perf_hooks'

/** Returns a function that says how busy the event loop of this thread was since its last call, from 0 to 1. */
export function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
