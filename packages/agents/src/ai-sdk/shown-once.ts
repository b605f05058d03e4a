import { newTextIn } from '@throughline/protocol/internal'
import type { AgentEvent } from '../agent/agent-event.ts'

/**
 * Removes text that a provider sends twice. Some providers repeat the whole text in their last delta. Others send the
 * whole text so far in every delta (snapshots).
 *
 * Saying the same again can be normal ("ha", "ha"). So a delta counts as a repetition only when it cannot be meant as more
 * text. It must begin with all of the text so far, and one of these must be true:
 * - It is the last delta, and the text so far is distinctive: it has two or more words or at least 16 characters, no white
 *   space at either end, and four or more different characters. Appended, it would read "all done.all done."
 * - It is the last delta and nothing more than all of the text so far, however short: the text came in several deltas, or
 *   it is a whole sentence ("Yes.") or a capitalised word ("Paris"). Other short texts can be the first half of a word or
 *   a number ("谢", "1"), so they are shown again: an answer must not lose a half.
 * - It is the last delta, and after the text so far it goes on with other words: "The", then "The sky is clear."
 * - It is the third delta in a row that begins with all of the one before: "The", "The sky", "The sky is". The second of
 *   them has three or more different characters, and the three are not mere repetition ("no ", "no no ", "no no no ").
 *   From then on the provider is known to send snapshots, until a delta does not fit.
 *
 * Until this is known, such a delta is held back. It comes out with the next delta or at the end of the text. A delta that
 * is shorter than the text so far is never held back, so normal streams are not delayed.
 */
export class ShownOnce {
  #seen = ''
  /** In how many deltas it came. */
  #deltas = 0
  /** Deltas that are held back. Each begins with all of the one before; the first begins with all that was seen. */
  #held: string[] = []
  #isSnapshots = false

  /** Returns what is new in a delta. */
  take(delta: string): string {
    if (this.#isSnapshots && delta.startsWith(this.#seen)) return this.#show(this.#newIn(delta))
    this.#isSnapshots = false
    const last = this.#held.at(-1)
    if (last !== undefined && isAllOf(last, delta)) return this.#takeThird(last, delta)
    const waited = this.#show(this.#asMoreText())
    if (!isAllOf(this.#seen, delta) && !this.#isResend(delta)) return waited + this.#show(delta)
    this.#held.push(delta)
    return waited
  }

  /** Call this when something other than text comes. Returns what was held back. Snapshots may go on after it. */
  pause(): string {
    const last = this.#held.at(-1)
    const before = this.#held.at(-2) ?? this.#seen
    const isAgain =
      last !== undefined && (isDistinctive(this.#seen) || hasMoreWords(last, before) || this.#isResend(last))
    const text = isAgain ? this.#newIn(last) : this.#asMoreText()
    this.#held = []
    if (!this.#isSnapshots) {
      this.#seen = ''
      this.#deltas = 0
    }
    return text
  }

  /** Returns whether a delta, if it is the last one, can only be all of the text again. */
  #isResend(delta: string): boolean {
    if (delta !== this.#seen || delta.trim() === '') return false
    return this.#deltas > 1 ? !isRepetition(delta) : isComplete(delta)
  }

  #takeThird(last: string, delta: string): string {
    this.#held.push(delta)
    this.#isSnapshots = isVaried(last, 3) && !isRepetition(this.#seen + this.#held.join(''))
    if (!this.#isSnapshots) return this.#held.length < maxHeld ? '' : this.#show(this.#asMoreText())
    this.#held = []
    return this.#show(this.#newIn(delta))
  }

  #newIn(snapshot: string): string {
    return newTextIn(snapshot, this.#seen)
  }

  #asMoreText(): string {
    if (this.#held.length === 0) return ''
    const text = this.#held.join('')
    this.#held = []
    return text
  }

  #show(text: string): string {
    this.#seen += text
    if (text !== '') this.#deltas += 1
    return text
  }
}

/** Returns the events of more text: none for an empty text. */
export function textEvents(text: string): readonly AgentEvent[] {
  return text === '' ? [] : [{ type: 'text-delta', text }]
}

/** How many deltas are held back at most. A provider that sends snapshots is recognised earlier. */
const maxHeld = 16

// The lengths are compared first: most deltas are shorter than what was seen, so the texts need no comparison.
function isAllOf(before: string, delta: string): boolean {
  if (before === '' || delta.length < before.length || !delta.startsWith(before)) return false
  return before.trim() !== '' && (delta.length > before.length || isDistinctive(delta))
}

function isDistinctive(text: string): boolean {
  const isGlued = text !== '' && text.trim() === text
  return isGlued && isVaried(text, 4) && (text.length >= 16 || /\s/.test(text))
}

/**
 * Returns whether nobody would go on with the same text right behind it: it is a sentence with its mark at the end, or
 * begins with a capital letter. "Yes.Yes." and "ParisParis" are no texts, "haha" and "1010" are.
 */
function isComplete(text: string): boolean {
  return /^\S*\p{L}\S*[.!?。！？…]["'”’」』）)]*$/u.test(text) || /^\p{Lu}\S*\p{Ll}$/u.test(text)
}

// Only for scripts with lower-case letters. These are also the scripts that put spaces between words.
function hasMoreWords(delta: string, seen: string): boolean {
  const goesOn = /^[^\p{L}\p{N}]/u.test(delta.slice(seen.length))
  return goesOn && /\p{Ll}$/u.test(seen) && isVaried(seen, 3) && isDistinctive(delta)
}

/** Returns whether the beginning of a text has at least this many different characters. */
function isVaried(text: string, count: number): boolean {
  return new Set(text.slice(0, 64)).size >= count
}

/** Returns whether a text consists of one text repeated, at least twice. The last repetition may be incomplete. */
function isRepetition(text: string): boolean {
  // The prefix function of Knuth, Morris and Pratt: for each prefix, the length of its longest border.
  const borders = [0]
  for (let end = 1; end < text.length; end += 1) {
    let border = borders[end - 1] ?? 0
    while (border > 0 && text[border] !== text[end]) border = borders[border - 1] ?? 0
    borders.push(text[border] === text[end] ? border + 1 : 0)
  }
  const period = text.length - (borders.at(-1) ?? 0)
  return period * 2 <= text.length
}
