// Records the small trace that the tests replay: node --conditions=throughline-source torture/src/record-trace.ts
import { readFile, writeFile } from 'node:fs/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import { openRack } from './open-rack.ts'
import { recordWorkload } from './power-loss/record-workload.ts'
import { buildRecorder } from './power-loss/recorder.ts'

await using rack = await openRack()
const recorder = await buildRecorder(`${rack.folder}/recorder`, `${rack.pool.folder}/recorded.mjs`)
const { folder } = rack
const recording = { disk: `${folder}/disk`, trace: `${folder}/trace`, killFile: `${folder}/kill` }
await recordWorkload(recorder, recording, { seed: 3, chats: 2, letters: 2, fileBytes: 2_000 })
const target = new URL('../test/power-loss/trace.br', import.meta.url)
// Pages of a database repeat each other over the whole trace.
const params = { [constants.BROTLI_PARAM_LGWIN]: 24 }
await writeFile(target, brotliCompressSync(await readFile(recording.trace), { params }))
