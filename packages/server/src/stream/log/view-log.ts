import { follow, LogError, type LogStore, logName } from '@throughline/log'
import { type ChatKey, type Entry, encodeSse, formatPosition, type Position } from '@throughline/protocol'
import { EncodedPages, type EncodePage, type Pieces, piecesOf } from '../bytes/encoded-pages.ts'
import { entryEvent } from '../bytes/sse-events.ts'
import { blankUiEvent, withoutMissedUiEvents } from '../missed-ui-events.ts'
import type { ViewSignals } from '../run-pages.ts'

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
  // No `for await`: it would hold the last page while it waits for the next one.
  try {
    let next = await pages.next()
    while (next.done !== true) {
      yield withoutMissedUiEvents(next.value, missed).flatMap(encode)
      next = released // lets V8 collect the page while this waits
      next = await pages.next()
    }
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetEvent(await log.open(name))]
  } finally {
    await pages.return(false)
  }
}

const released: IteratorResult<readonly Entry[], boolean> = { done: true, value: false }

/** Tells a follower that its position is not in this log, and where the log ends now. */
function resetEvent(position: Position): Uint8Array {
  return Buffer.from(
    encodeSse({ event: 'reset', data: JSON.stringify({ position: formatPosition(position) }) }),
  )
}

const pages = new EncodedPages()

/** Encodes every entry as it is in the log: the stream that our own clients read. */
export function encodeLog(epoch: string): EncodePage {
  return pages.once(entries => piecesOf(entries.map(entry => entryEvent(epoch, entry.seq, entry))))
}
