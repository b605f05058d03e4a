import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loopUtilization } from './loop-utilization.ts'

/** When garbage is collected. */
export interface MemoryOptions {
  /** How often to look, in milliseconds. Default: 10,000. */
  readonly periodMs?: number
  /** Less garbage than this is not worth a collection. Default: 32 MiB. */
  readonly minGarbageBytes?: number
  /** Returns the bytes of the heap and of what it refers to, with the garbage. */
  readonly usedBytes?: () => number
  /** Returns how busy the event loop was since the last call, from 0 to 1. */
  readonly utilization?: () => number
  /** Collects the garbage, and gives its memory back to the system. */
  readonly collect?: () => void
}

/** A loop that is busier than this does something for somebody, and is not held up. */
const maxUtilization = 0.02

/**
 * Gives memory back after load. V8 collects garbage only while a program allocates: a server that has nothing to do keeps
 * the garbage of its last load, and the memory around it, until the next one. So while the event loop is idle and the heap
 * has grown by half since the last time, this collects it. Each thread has a heap of its own, and does this for itself.
 * Returns a function that ends this.
 */
export function giveMemoryBack(options: MemoryOptions = {}): () => void {
  const {
    periodMs = 10_000,
    minGarbageBytes = 32 * 1024 * 1024,
    usedBytes = usedByHeap,
    utilization = loopUtilization(),
    collect,
  } = options
  let usedBefore = usedBytes()
  let collectNow = collect
  const look = () => {
    const isIdle = utilization() <= maxUtilization
    const grownBy = usedBytes() - usedBefore
    if (!isIdle || grownBy < Math.max(minGarbageBytes, usedBefore / 2)) return
    collectNow ??= garbageCollector()
    collectNow()
    usedBefore = usedBytes()
  }
  const timer = setInterval(look, periodMs)
  timer.unref()
  return () => clearInterval(timer)
}

function usedByHeap(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Node has no function for this. V8 makes one when this flag is set before a context is made. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: (options: object) => void = runInNewContext('gc')
  // Only this flavor gives the memory back to the system.
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
