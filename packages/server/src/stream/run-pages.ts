import { follow, LogError, type LogStore, logName, readBetween } from '@throughline/log'
import { type Entry, isEndChunk, type Position } from '@throughline/protocol'
import { hasAnswer, type Run } from '@throughline/store'

/** The signals that end a view early. */
export interface ViewSignals {
  /** Aborts when the viewer leaves: the view ends at once. */
  readonly signal: AbortSignal
  /** Aborts when the server shuts down: the view ends after it has shown every entry that the log has by then. */
  readonly closing: AbortSignal
}

/** The position after which the entries are read, and what ends reading. */
export interface RunPagesOptions extends ViewSignals {
  readonly after: Position
}

/**
 * Reads the log in pages, from a position to the last entry of a run. The first pages may also have entries of earlier
 * runs. Throws an `AbortError` when a signal ends it before that entry.
 */
export async function* runPages(
  log: LogStore,
  run: Run,
  options: RunPagesOptions,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const hasEnded = yield* followRun(log, run, options)
  if (!hasEnded) throw cutOff()
}

/** Follows the log to the last entry of a run. Returns whether that entry was yielded: see `follow`. */
export function followRun(log: LogStore, run: Run, options: RunPagesOptions): ReturnType<typeof follow> {
  return follow(log, logName(run), { ...options, isLast: entry => isRunEnd(entry, run) })
}

/** Without this error, a viewer would take the cut for the end of the answer, and not come back for the rest. */
export function cutOff(): DOMException {
  return new DOMException('The stream was cut off before the end of its run.', 'AbortError')
}

/** Returns a position before a run's first entry. The last entries of an earlier run may come in between. */
export async function runStart(log: LogStore, run: Run): Promise<Position> {
  const { epoch } = await log.open(logName(run))
  return { epoch, seq: run.afterSeq }
}

/**
 * Returns the position right before a run's first entry. Without entries yet, that is the end of the log. If the entries
 * were trimmed, the position is not in the log any more, and whoever follows the log from it gets a reset.
 */
export async function runBeginning(log: LogStore, run: Run): Promise<Position> {
  const name = logName(run)
  // The run has claimed the chat, so nobody else writes to the log now.
  const { epoch, seq: upTo } = await log.open(name)
  const after = { epoch, seq: run.afterSeq }
  try {
    for await (const page of readBetween(log, name, { after, upTo })) {
      const first = page.find(entry => entry.runId === run.id)
      if (first !== undefined) return { epoch, seq: first.seq - 1 }
    }
  } catch (error) {
    if (error instanceof LogError && error.code === 'unknown-position') return after
    throw error
  }
  return { epoch, seq: upTo }
}

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
