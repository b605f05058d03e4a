import { type ChatState, type Entry, emptyChat, fold, type Message } from '@throughline/protocol'

/** After this many entries, a state is kept. To get any other state, fewer entries than this are folded. */
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

  /** Returns the state after the first `count` entries; the last known one when fewer were folded. */
  stateAfter(count: number): ChatState {
    if (count >= this.#count) return this.#last
    const index = Math.floor(Math.max(0, count) / every)
    const from = this.#kept[index] ?? emptyChat()
    return this.#entries.slice(index * every, Math.max(0, count)).reduce(fold, from)
  }
}

/** A longer pause between two entries, such as a wait for approval, is shortened to this. */
const longestPauseMs = 3_000

/** Returns when each entry is played, in milliseconds since the first one. The times never go back. */
export function playTimesOf(entries: readonly Pick<Entry, 'at'>[]): readonly number[] {
  let time = 0
  let before = entries[0]?.at ?? 0
  return entries.map(({ at }) => {
    time += Math.min(longestPauseMs, Math.max(0, at - before))
    before = at
    return time
  })
}

/** Returns the index of the last entry that is played at a time; -1 before the first. */
export function indexAt(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the last answer that had ended; `undefined` when there was none. A conversation can go on from there. */
export function forkPoint(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role, metadata }) => {
    const hasEnded = metadata?.status !== undefined && metadata.status !== 'streaming'
    return role === 'assistant' && metadata?.parent === undefined && hasEnded
  })
}
