import { follow, LogError, type LogStore, logName } from '@throughline/log'
import { type ChatKey, encodeSse, formatPosition, type Position } from '@throughline/protocol'
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
  const pages = follow(log, name, options)
  try {
    for await (const page of withoutMissedUiEvents(pages, { joinedAt, instead: blankUiEvent })) {
      const pieces = encode(page)
      if (pieces.length > 0) yield pieces
    }
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetEvent(await log.open(name))]
  }
}

/** Tells a follower that its position is not in this log, and where the log ends now. */
function resetEvent(position: Position): Uint8Array {
  return Buffer.from(
    encodeSse({ event: 'reset', data: JSON.stringify({ position: formatPosition(position) }) }),
  )
}
