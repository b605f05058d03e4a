import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loopUtilization } from './loop-utilization.ts'

/** When garbage is collected. */
export interface MemoryOptions {
  /** How often to look, in milliseconds. Default: 5,000. */
  readonly periodMs?: number
  /** Less growth than this is not worth a collection. Default: 8 MiB. */
  readonly minGrowthBytes?: number
  /** Returns the memory of the process, in bytes. */
  readonly heldBytes?: () => number
  /** Returns how busy the event loop was since the last call, from 0 to 1. */
  readonly utilization?: () => number
  /** Collects the garbage, and gives its memory back to the system. */
  readonly collect?: () => void
}

/**
 * A loop that is busier than this is not held up: a collection may take a tenth of a second. Thousands of viewers that
 * only wait keep the loop busy for less.
 */
const maxUtilization = 0.15

/**
 * Gives memory back after load. V8 collects garbage only while a program allocates: a server that has nothing to do keeps
 * the garbage of its last load, and the memory around it, until the next one. So while the event loop has little to do and
 * the process has grown by a sixteenth since the last time, this collects the garbage. What counts is the memory of the process:
 * V8 may have collected the garbage by itself, and still keep its memory. Each thread has a heap of its own, and does this
 * for itself. Returns a function that ends this.
 */
export function giveMemoryBack(options: MemoryOptions = {}): () => void {
  const {
    periodMs = 5_000,
    minGrowthBytes = 8 * 1024 * 1024,
    heldBytes = () => process.memoryUsage.rss(),
    utilization = loopUtilization(),
    collect,
  } = options
  let heldBefore = heldBytes()
  let collectNow = collect
  const look = () => {
    const isIdle = utilization() <= maxUtilization
    const grownBy = heldBytes() - heldBefore
    if (!isIdle || grownBy < Math.max(minGrowthBytes, heldBefore / 16)) return
    collectNow ??= garbageCollector()
    collectNow()
    heldBefore = heldBytes()
  }
  const timer = setInterval(look, periodMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Node has no function for this. V8 makes one when this flag is set before a context is made. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: (options: object) => void = runInNewContext('gc')
  // Only this flavor gives the memory back to the system.
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
