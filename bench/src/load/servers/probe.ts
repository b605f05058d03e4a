import { monitorEventLoopDelay } from 'node:perf_hooks'
import { z } from 'zod'
import { openGate } from './gate.ts'

const resolutionMs = 10

/** What a server under load says about itself. */
export const probed = z.object({
  /** How late the event loop of the main thread was, in milliseconds: 99 of 100 samples were not later. */
  loopDelayP99Ms: z.number(),
  heapBytes: z.number(),
})

/** What every server under load can be asked: to open the gate, and for figures that only the process itself knows. */
export function probeHandlers() {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  return {
    gate: openGate,
    async probeStart(): Promise<void> {
      delays.reset()
    },
    async probe(): Promise<z.infer<typeof probed>> {
      // A sample is the time between two ticks of a timer, so an event loop with nothing to do has `resolutionMs`.
      const loopDelayP99Ms = Math.max(0, delays.percentile(99) / 1e6 - resolutionMs)
      return { loopDelayP99Ms, heapBytes: process.memoryUsage().heapUsed }
    },
  }
}
