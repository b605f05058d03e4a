import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

const probeMs = 250

/** Returns how fast the slowest core is at the moment, in rounds of some fixed work per second. */
export async function coreSpeed(): Promise<number> {
  return Math.min(...(await Promise.all(Array.from({ length: availableParallelism() }, speedOfOne))))
}

async function speedOfOne(): Promise<number> {
  const worker = new Worker(new URL('./core-speed-thread.ts', import.meta.url), { workerData: probeMs })
  const [rounds] = await once(worker, 'message')
  await worker.terminate()
  return Number(rounds)
}
