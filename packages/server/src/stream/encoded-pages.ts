import type { Entry } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Pieces } from './pieces.ts'

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
 * Viewers who keep up read the same pages of the same entries. So a page is encoded once for all of them, and is garbage
 * collected together with its first entry. Only for forms in which a page's bytes do not depend on earlier entries.
 */
export class EncodedPages {
  readonly #byFirst = new WeakMap<Entry, EncodedPage>()

  /** Memoises `encode` by the page's first and last entry. `run`: the run whose entries are encoded, if only those are. */
  once(encode: EncodePage, run?: Pick<Run, 'id'>): EncodePage {
    return entries => {
      const [first] = entries
      const last = entries.at(-1)
      if (first === undefined || last === undefined) return []
      const known = this.#byFirst.get(first)
      if (known?.last === last && known.runId === run?.id) return known.pieces
      const pieces = encode(entries)
      this.#byFirst.set(first, { last, runId: run?.id, pieces })
      return pieces
    }
  }
}
