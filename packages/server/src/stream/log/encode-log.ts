import { EncodedPages, type EncodePage } from '../encoded-pages.ts'
import { joinPieces } from '../pieces.ts'
import { numberedEvents } from '../sse-events.ts'

const pages = new EncodedPages()

/** Encodes every entry as it is in the log: the stream that our own clients read. */
export function encodeLog(epoch: string): EncodePage {
  const nothing = { after: { epoch, seq: 0 }, events: 0 }
  return pages.once(entries =>
    joinPieces(entries.flatMap(entry => numberedEvents(entry.seq, [entry], nothing))),
  )
}
