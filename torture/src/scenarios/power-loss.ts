import { mkdir, readFile } from 'node:fs/promises'
import { Disk } from '../power-loss/disk.ts'
import { firstDifference, readImage } from '../power-loss/disk-image.ts'
import { recordWorkload } from '../power-loss/record-workload.ts'
import { buildRecorder, type Recorder } from '../power-loss/recorder.ts'
import { replayPowerLoss } from '../power-loss/replay.ts'
import { type Operation, readTrace } from '../power-loss/trace.ts'
import type { Place, Scenario } from './scenario.ts'

/** How many power losses are tried on each recorded workload. */
const lossesPerTrace = 50

/**
 * The power fails at any moment of a recorded workload: everything that was not synced is gone, torn, or there after all.
 * A server on what is left has all that people were told and shown.
 */
export const powerLoss: Scenario = {
  name: 'power-loss',
  unit: 'power losses',
  async open(place) {
    const recorder = await buildRecorder(`${place.folder}/recorder`, `${place.pool.folder}/recorded.mjs`)
    let last: { readonly number: number; readonly trace: Promise<readonly Operation[]> } | undefined
    const traceOf = (seed: number) => {
      const number = Math.floor(seed / lossesPerTrace)
      if (last?.number !== number) last = { number, trace: record(place, recorder, number) }
      return last.trace
    }
    return {
      lanes: 2,
      run: async seed => replayPowerLoss(await traceOf(seed), { seed, folder: `${place.folder}/${seed}` }),
      async [Symbol.asyncDispose]() {},
    }
  },
}

async function record({ folder }: Place, recorder: Recorder, seed: number): Promise<readonly Operation[]> {
  const base = `${folder}/recorded-${seed}`
  await mkdir(base, { recursive: true })
  const recording = { disk: `${base}/disk`, trace: `${base}/trace`, killFile: `${base}/kill` }
  await recordWorkload(recorder, recording, { seed, chats: 4, letters: 4, fileBytes: 40_000 })
  const operations = readTrace(await readFile(recording.trace))
  await assertComplete(operations, recording.disk)
  return operations
}

/** Without a power loss, the trace makes the disk as it is. Otherwise something was written that nobody has recorded. */
async function assertComplete(operations: readonly Operation[], folder: string): Promise<void> {
  const disk = new Disk('in-order')
  for (const operation of operations) disk.apply(operation)
  const missed = firstDifference(disk.image(), await readImage(folder))
  if (missed !== undefined)
    throw new Error(`The recorder has missed something that was written to ${missed}.`)
}
