import { type Entry, isEndChunk } from '@throughline/protocol'
import { hasAnswer, type Run } from '@throughline/store'

/** Whether viewers of a run are shown this entry. The user's message is not: whoever asked for the run has it already. */
export function isOfRun({ runId, chunk }: Entry, run: Pick<Run, 'id'>): boolean {
  return runId === run.id && chunk.type !== 'data-message'
}

/** Whether viewers of a run wait for nothing after this entry: the answer ends here, or the run brings no answer. */
export function isRunEnd(
  { runId, messageId, chunk }: Entry,
  run: Pick<Run, 'id' | 'answerId' | 'kind'>,
): boolean {
  return runId === run.id && (!hasAnswer(run) || (messageId === run.answerId && isEndChunk(chunk)))
}
