import { logName } from '@throughline/log'
import { isRunId, type OwnerId } from '@throughline/protocol'
import { generationOf } from '@throughline/protocol/internal'
import type { Services } from '../request/context.ts'
import type { PositionInRun } from './position-in-run.ts'

/**
 * Returns a name for the chunks of a stream: a client that counts them can ask for the same stream again, from some chunk
 * on. It has everything that decides which chunk is the first one, and which are left out, and the generation of the log:
 * in another one, the chunks that the client has counted may be others.
 *
 * "~" is in no id, so this name is never taken for that of a chat.
 */
export function streamIdOf({ run, after, joinedAt = 0, continues = false }: PositionInRun): string {
  const generation = generationOf(after.epoch)
  const marks = [...(generation === '' ? [] : [`g${generation}`]), ...(continues ? ['c'] : [])]
  return [run.id, after.seq, joinedAt, ...marks].join('~')
}

/** Returns where a stream began, from its name. Returns `undefined` when the owner has no such stream, or not any more. */
export async function findStream(
  { store }: Services,
  ownerId: OwnerId,
  streamId: string,
): Promise<PositionInRun | undefined> {
  const [, runId, seq, joinedAt, generation = '', mark] = namePattern.exec(streamId) ?? []
  const run = isRunId(runId) ? await store.runs.get(ownerId, runId) : undefined
  if (run === undefined) return undefined
  const head = await store.log.open(logName(run))
  const after = { epoch: head.epoch, seq: Number(seq) }
  if (generation !== generationOf(head.epoch)) return undefined
  if (after.seq < run.afterSeq || after.seq > head.seq) return undefined
  return { run, after, joinedAt: Number(joinedAt), continues: mark !== undefined }
}

const namePattern = /^([^~]+)~(\d{1,15})~(\d{1,15})(?:~g([^~]{1,16}))?(~c)?$/
