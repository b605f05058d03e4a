import { logName } from '@throughline/log'
import { isEndChunk } from '@throughline/protocol'
import { hasAnswer, type Run, type Store } from '@throughline/store'
import { untilOver } from '../signals/read-until.ts'

/** How long the end of a run may take to be saved after it was shown, in milliseconds. */
const maxSavingMs = 1_500
/** How long to wait for a run without an answer before the chat is claimed again, in milliseconds. */
const maxShortRunMs = 500
const everyMs = 50

/**
 * Returns whether a run that has the chat, but is not active in this process, will end in a moment. If so, waits for that.
 * - Runs without an answer end at once. They are missing among the active runs when they have just begun or are just
 *   ending. If their process has died, they end when another one takes them over. So this waits for half a second at a
 *   time: claiming the chat costs much more than reading whether the run is over.
 * - The answer of another process may be complete in the log, where viewers see its end before it is saved. Whoever has
 *   seen that end may send the next message.
 */
export async function waitIfEnding(
  store: Pick<Store, 'log' | 'runs' | 'signals'>,
  run: Run,
): Promise<boolean> {
  if (!hasAnswer(run)) {
    await untilOver(store, run, { maxMs: maxShortRunMs, everyMs })
    return true
  }
  if (!(await isShownToEnd(store, run))) return false
  return (await untilOver(store, run, { maxMs: maxSavingMs, everyMs })) !== undefined
}

/** Returns whether the last entry of the chat's log is the end of the run's answer. */
async function isShownToEnd({ log }: Pick<Store, 'log'>, run: Run): Promise<boolean> {
  const { epoch, seq } = await log.open(logName(run))
  if (seq <= run.afterSeq) return false
  const [last] = await log.read(logName(run), { epoch, seq: seq - 1 }, 1)
  return last?.runId === run.id && last.messageId === run.answerId && isEndChunk(last.chunk)
}
