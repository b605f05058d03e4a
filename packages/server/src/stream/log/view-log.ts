import { follow, LogError, type LogStore, logName } from '@throughline/log'
import { type ChatKey, type Entry, encodeSse, formatPosition, type Position } from '@throughline/protocol'
import { blankUiEvent, withoutMissedUiEvents } from '../missed-ui-events.ts'
import type { Pieces } from '../pieces.ts'
import type { ViewSignals } from '../run-pages.ts'
import { encodeLog } from './encode-log.ts'

interface LogView extends ViewSignals {
  readonly after: Position
  /** Only for a viewer who gave no position: UI events up to this entry have no content. */
  readonly joinedAt?: number | undefined
}

/** Shows every entry of a chat after a position. It does not end by itself, except with a reset. */
export async function* viewLog(
  log: LogStore,
  chat: ChatKey,
  { joinedAt = 0, ...options }: LogView,
): AsyncGenerator<Pieces, void, undefined> {
  const name = logName(chat)
  const encode = encodeLog(options.after.epoch)
  const missed = { joinedAt, instead: blankUiEvent }
  const pages = follow(log, name, options)
  // This is no `for await`, because that would hold the last page while it waits for the next one.
  try {
    let next = await pages.next()
    while (next.done !== true) {
      yield withoutMissedUiEvents(next.value, missed).flatMap(encode)
      next = awaited
      next = await pages.next()
    }
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetEvent(await log.open(name))]
  } finally {
    await pages.return(false)
  }
}

const awaited: IteratorResult<readonly Entry[], boolean> = { done: true, value: false }

/** Tells a follower that its position is not in this log, and where the log ends now. */
function resetEvent(position: Position): Uint8Array {
  return Buffer.from(
    encodeSse({ event: 'reset', data: JSON.stringify({ position: formatPosition(position) }) }),
  )
}
