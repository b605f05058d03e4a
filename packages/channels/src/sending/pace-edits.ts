import type { BlockPart } from '../cutting/reply-part.ts'
import { type Deadline, deadlineIn } from './deadline.ts'
import { ImpatientReader } from './impatient-reader.ts'
import type { StartTimer } from './start-timer.ts'

export interface EditPacing {
  /** A message is edited at most once in so many milliseconds. */
  readonly intervalMs: number
  readonly startTimer: StartTimer
}

/**
 * Third stage of a delivery in messages that grow: after each incomplete block it waits for an interval. Of the
 * incomplete blocks that come meanwhile it passes on only the newest. Complete blocks and marks end the wait.
 */
export async function* paceEdits(
  parts: AsyncIterable<BlockPart>,
  { intervalMs, startTimer }: EditPacing,
): AsyncGenerator<BlockPart, void, undefined> {
  const reader = new ImpatientReader(parts)
  let interval: Deadline | undefined
  let newest: BlockPart | undefined
  try {
    for (;;) {
      const next = await reader.next(interval)
      if (next !== 'late' && next.done === true) return
      const part = next === 'late' ? newest : next.value
      if (next !== 'late' && next.value.type === 'partial' && interval !== undefined) {
        newest = part
        continue
      }
      interval?.cancel()
      interval = undefined
      // A complete block contains the incomplete one. A mark does not: the newest text is shown before it.
      if (newest !== undefined && newest !== part && part?.type !== 'block') yield newest
      newest = undefined
      if (part !== undefined) yield part
      if (part?.type === 'partial') interval = deadlineIn(intervalMs, startTimer)
    }
  } finally {
    interval?.cancel()
    reader.close()
  }
}
