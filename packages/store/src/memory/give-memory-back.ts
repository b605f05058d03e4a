import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** When garbage is collected. */
export interface MemoryOptions {
  /** How often to look, in milliseconds. Default: 5,000. */
  readonly periodMs?: number
  /** Less growth than this is not worth a collection. Default: 4 MiB. */
  readonly minGrowthBytes?: number
  /** Returns the memory that the heap of this thread takes from the system, in bytes. Its garbage counts. */
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
 * the heap has grown by a sixteenth since the last time, this collects the garbage. What counts is what the heap takes from the
 * system: V8 may have collected the garbage by itself, and still keep its memory. Each thread has a heap of its own, and does
 * this for itself. (The memory of the whole process would not do: what one thread gives back would hide the growth of another.)
 * Returns a function that ends this.
 */
export function giveMemoryBack(options: MemoryOptions = {}): () => void {
  const {
    periodMs = 5_000,
    minGrowthBytes = 4 * 1024 * 1024,
    heldBytes = () => getHeapStatistics().total_heap_size,
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
    if (collectNow === undefined) return clearInterval(timer)
    collectNow()
    heldBefore = heldBytes()
  }
  const timer = setInterval(look, periodMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Node has no function for this. V8 makes one when this flag is set before a context is made. Returns `undefined` where
 * nothing makes one, as in Bun: there the engine gives memory back by itself.
 */
function garbageCollector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc')
  const gc: ((options: object) => void) | undefined = runInNewContext('globalThis.gc')
  if (typeof gc !== 'function') return undefined
  // Only this flavor gives the memory back to the system.
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

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
