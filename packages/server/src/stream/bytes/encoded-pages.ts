import type { Entry } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { streamBytes } from './stream-bytes.ts'

/** Bytes for a viewer. Each piece is one write, and small enough to be held for a viewer who reads slowly. */
export type Pieces = readonly Uint8Array[]

interface EncodedPage {
  readonly last: Entry
  readonly runId: string | undefined
  readonly pieces: Pieces
}

/** Turns a page of entries into bytes. */
export type EncodePage = (entries: readonly Entry[]) => Pieces

/**
 * The encoded pages of one wire form, shared by all viewers.
 *
 * Viewers who keep up read the same pages of the same entries, in the same turn of the event loop. So a page is encoded
 * once for all of them. Only for forms in which a page's bytes do not depend on earlier entries.
 *
 * A page that two viewers have read stays as long as its first entry, because more viewers may come for it. Most chats have
 * only one viewer, so most pages are dropped at the end of the turn. Otherwise they would become old together with their
 * entries. V8 collects old objects rarely, and their bytes, which are outside of its heap, would fragment the memory there.
 */
export class EncodedPages {
  /** The pages of this turn, by their first entries. */
  #fresh = new Map<Entry, EncodedPage>()
  /** The pages that several viewers have read, by their first entries. */
  readonly #shared = new WeakMap<Entry, EncodedPage>()

  /** Memoises `encode` by the page's first and last entry. `run`: the run whose entries are encoded, if only those are. */
  once(encode: EncodePage, run?: Pick<Run, 'id'>): EncodePage {
    return entries => {
      const [first] = entries
      const last = entries.at(-1)
      if (first === undefined || last === undefined) return []
      const shared = this.#shared.get(first)
      if (shared?.last === last && shared.runId === run?.id) return shared.pieces
      const fresh = this.#fresh.get(first)
      if (fresh?.last === last && fresh.runId === run?.id) {
        this.#shared.set(first, fresh)
        return fresh.pieces
      }
      const pieces = encode(entries)
      this.#keepForThisTurn(first, { last, runId: run?.id, pieces })
      return pieces
    }
  }

  #keepForThisTurn(first: Entry, page: EncodedPage): void {
    if (this.#fresh.size === 0) setImmediate(this.#endTurn)
    this.#fresh.set(first, page)
  }

  readonly #endTurn = (): void => {
    this.#fresh = new Map()
  }
}

const maxPieceChars = 64 * 1024

/** Encodes many short texts as few pieces. Joins them while they are texts, because that copies nothing. */
export function piecesOf(texts: readonly string[]): Pieces {
  const pieces: Uint8Array[] = []
  let joined = ''
  for (const text of texts) {
    joined += text
    if (joined.length < maxPieceChars) continue
    pieces.push(streamBytes(joined))
    joined = ''
  }
  if (joined !== '') pieces.push(streamBytes(joined))
  return pieces
}
