import { newTextIn } from '@throughline/protocol/monotonic-text'

/**
 * Shows each text once, although a provider sends it again: some repeat the whole text as their last delta, some send
 * the whole text so far with every delta (snapshots).
 *
 * A delta is only taken for the whole text again where nobody could mean it as more text, because saying the same again
 * is normal ("ha", "ha"). It must begin with all of the text so far, and one of these must hold:
 * - Nothing follows it, and the text so far is telling: two or more words or at least 16 characters, no whitespace at
 *   either end, four or more different characters. As more text it would be glued to itself: "all done.all done."
 * - Nothing follows it, and it goes on after the last word so far with other words: "The", then "The sky is clear."
 * - It is the third in a row that begins with all of the one before: "The", "The sky", "The sky is". The second of them
 *   has three or more different characters, and all of them together are no mere repetition ("no ", "no no ", "no no
 *   no "). From then on, and as long as it goes on so, the provider is known to send snapshots.
 *
 * Until this is known, such a delta is held back; it comes out with the next one, or at the end of the text. A delta that
 * is shorter than the text so far is never held, so this costs nothing where nothing is repeated.
 */
export class ShownOnce {
  #seen = ''
  /** Deltas that each begin with all of the one before, and the first with all that was seen. */
  #held: string[] = []
  #isSnapshots = false

  /** Returns what is new in a delta. */
  take(delta: string): string {
    if (this.#isSnapshots && delta.startsWith(this.#seen)) return this.#show(this.#newIn(delta))
    this.#isSnapshots = false
    const last = this.#held.at(-1)
    if (last !== undefined && isAllOf(last, delta)) return this.#takeThird(last, delta)
    const waited = this.#show(this.#asMoreText())
    if (!isAllOf(this.#seen, delta)) return waited + this.#show(delta)
    this.#held.push(delta)
    return waited
  }

  /** Something else comes. Returns what is left; only snapshots go on across it. */
  pause(): string {
    const last = this.#held.at(-1)
    const before = this.#held.at(-2) ?? this.#seen
    const isAgain = last !== undefined && (isTelling(this.#seen) || hasMoreWords(last, before))
    const text = isAgain ? this.#newIn(last) : this.#asMoreText()
    this.#held = []
    if (!this.#isSnapshots) this.#seen = ''
    return text
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
    return text
  }
}

/** Whoever has not made clear by then that they send snapshots does not send them. */
const maxHeld = 16

// The lengths come first: most deltas are shorter than what was seen, and then nothing has to be compared.
function isAllOf(before: string, delta: string): boolean {
  if (before === '' || delta.length < before.length || !delta.startsWith(before)) return false
  return before.trim() !== '' && (delta.length > before.length || isTelling(delta))
}

function isTelling(text: string): boolean {
  const isGlued = text !== '' && text.trim() === text
  return isGlued && isVaried(text, 4) && (text.length >= 16 || /\s/.test(text))
}

// Only of scripts that have small letters: they are also the ones that put spaces between words.
function hasMoreWords(delta: string, seen: string): boolean {
  const goesOn = /^[^\p{L}\p{N}]/u.test(delta.slice(seen.length))
  return goesOn && /\p{Ll}$/u.test(seen) && isVaried(seen, 3) && isTelling(delta)
}

/** Whether a text has so many different characters, in its beginning at least. */
function isVaried(text: string, count: number): boolean {
  return new Set(text.slice(0, 64)).size >= count
}

/** Whether a text is its own beginning again and again, at least twice; the last time may be cut off. */
function isRepetition(text: string): boolean {
  // Of each beginning of the text: how long its longest end is that the text also begins with (Knuth, Morris, Pratt).
  const borders = [0]
  for (let end = 1; end < text.length; end += 1) {
    let border = borders[end - 1] ?? 0
    while (border > 0 && text[border] !== text[end]) border = borders[border - 1] ?? 0
    borders.push(text[border] === text[end] ? border + 1 : 0)
  }
  const period = text.length - (borders.at(-1) ?? 0)
  return period * 2 <= text.length
}
