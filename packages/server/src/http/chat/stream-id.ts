import { logName } from '@throughline/log'
import { isRunId, type OwnerId } from '@throughline/protocol'
import type { Services } from '../context.ts'
import type { PositionInRun } from './position-in-run.ts'

/**
 * Returns a name for the chunks of a stream: a client that counts them can ask for the same stream again, from some chunk
 * on. It has everything that decides which chunk is the first one, and which are left out.
 *
 * "~" is in no id, so this name is never taken for that of a chat.
 */
export function streamIdOf({ run, after, joinedAt = 0, continues = false }: PositionInRun): string {
  return [run.id, after.seq, joinedAt, ...(continues ? ['c'] : [])].join('~')
}

/** Returns where a stream began, from its name. Returns `undefined` when the owner has no such stream. */
export async function findStream(
  { store }: Services,
  ownerId: OwnerId,
  streamId: string,
): Promise<PositionInRun | undefined> {
  const [, runId, seq, joinedAt, mark] = /^([^~]+)~(\d{1,15})~(\d{1,15})(~c)?$/.exec(streamId) ?? []
  const run = isRunId(runId) ? await store.runs.get(ownerId, runId) : undefined
  if (run === undefined) return undefined
  const head = await store.log.open(logName(run))
  const after = { epoch: head.epoch, seq: Number(seq) }
  if (after.seq < run.afterSeq || after.seq > head.seq) return undefined
  return { run, after, joinedAt: Number(joinedAt), continues: mark !== undefined }
}
