import { type ChatState, type Entry, emptyChat, fold } from '@throughline/protocol'

/** A state is kept after so many entries. To get any other state, fewer entries than this are folded. */
const every = 128

/**
 * The states of a chat after each entry of its log. Only some of them are kept, and `fold` shares nearly everything
 * between two states, so a long log costs little memory.
 */
export class FoldSnapshots {
  /** State k is the one after k times `every` entries. */
  readonly #kept: ChatState[] = [emptyChat()]
  #entries: readonly Entry[] = []
  #last = emptyChat()
  #count = 0

  /** How many entries were folded. */
  get count(): number {
    return this.#count
  }

  /**
   * Folds the entries that were not folded yet, while `hasTime` says so. `entries` is the whole log, with what was folded
   * before at its beginning. Returns whether all are folded. Throws a `FoldError` when the log cannot be folded.
   */
  foldOn(entries: readonly Entry[], hasTime: () => boolean): boolean {
    this.#entries = entries
    while (this.#count < entries.length) {
      if (this.#count % every === 0 && !hasTime()) return false
      const entry = entries[this.#count]
      if (entry === undefined) break
      this.#last = fold(this.#last, entry)
      this.#count += 1
      if (this.#count % every === 0) this.#kept.push(this.#last)
    }
    return true
  }

  /** Returns the state after so many entries; the last one there is when not so many were folded yet. */
  stateAfter(count: number): ChatState {
    if (count >= this.#count) return this.#last
    const index = Math.floor(Math.max(0, count) / every)
    const from = this.#kept[index] ?? emptyChat()
    return this.#entries.slice(index * every, Math.max(0, count)).reduce(fold, from)
  }
}
