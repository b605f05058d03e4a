import { EncodedPages, type EncodePage } from '../encoded-pages.ts'
import { piecesOf } from '../pieces.ts'
import { entryEvent } from '../sse-events.ts'

const pages = new EncodedPages()

/** Encodes every entry as it is in the log: the stream that our own clients read. */
export function encodeLog(epoch: string): EncodePage {
  return pages.once(entries => piecesOf(entries.map(entry => entryEvent(epoch, entry.seq, entry))))
}
