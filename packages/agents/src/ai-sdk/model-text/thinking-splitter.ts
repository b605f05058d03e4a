import { CodePlaces } from './code-places.ts'

/** A piece of what a model says. */
export interface Piece {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

/**
 * Tells what a model thinks from what it says, in a text that comes in pieces: everything from `<think>` to the first
 * `</think>` is reasoning. So is `thinking` and `antthinking`, and any of them with a namespace.
 *
 * - In code a tag is only text.
 * - Thinking that never ends is reasoning to the end of the step.
 * - Whitespace next to a tag is dropped where it would begin a part: it separated the two, and now they are two parts.
 * - A closing tag without an opening one, alone at the start of its line, is dropped. The text before it has been shown
 *   already and stays text. Anywhere else in a line it is only text.
 *
 * How the text is cut into pieces makes no difference. Only what could be the beginning of a tag is held back, and
 * whitespace at the very beginning.
 */
export class ThinkingSplitter {
  #code = new CodePlaces()
  #isThinking = false
  /** The end of what came, if it could be the beginning of a tag. */
  #held = ''
  /** Whitespace at the beginning of the text, until it is known whether a tag follows. */
  #blank = ''
  /** Whether nothing but whitespace has come, since the beginning or since a tag. */
  #isFresh: 'since-beginning' | 'since-tag' | undefined = 'since-beginning'
  #pieces: Piece[] = []

  take(text: string): readonly Piece[] {
    if (text === '') return nothing
    // Nearly all pieces are more of the same, so they have a short way of their own.
    if (this.#held === '' && this.#isFresh === undefined && !text.includes('<')) return [this.#more(text)]
    const whole = this.#held + text
    this.#held = ''
    for (let start = 0; start < whole.length; ) {
      const bracket = whole.indexOf('<', start)
      this.#put(bracket === -1 ? whole.slice(start) : whole.slice(start, bracket))
      if (bracket === -1) break
      start = this.#readBracket(whole, bracket)
    }
    return this.#taken()
  }

  /** Something else comes, or the text is over: what was held back is no tag. */
  pause(): readonly Piece[] {
    const held = this.#held
    this.#held = ''
    this.#put(held)
    this.#push(this.#blank)
    this.#blank = ''
    return this.#taken()
  }

  /** What comes now is another text. Code that was open in the one before is over; thinking may go on. */
  endText(): void {
    this.#code = new CodePlaces()
  }

  /** Returns where the text goes on after a tag, or after what only looked like one. */
  #readBracket(whole: string, start: number): number {
    const rest = !this.#isThinking && this.#code.isInCode ? '' : whole.slice(start, start + longestTag)
    const [found = '', slash] = tag.exec(rest) ?? []
    if (found !== '' && this.#isTag(slash === '/')) {
      if (!found.endsWith('/>')) this.#turn(slash !== '/')
      return start + found.length
    }
    if (found === '' && start + rest.length === whole.length && tagBeginning.test(rest)) {
      this.#held = rest
      return whole.length
    }
    this.#put('<')
    return start + 1
  }

  #isTag(isClosing: boolean): boolean {
    return !isClosing || this.#isThinking || this.#code.isAtLineStart
  }

  #turn(isThinking: boolean): void {
    if (isThinking !== this.#isThinking) this.#code = new CodePlaces()
    this.#isThinking = isThinking
    this.#isFresh = 'since-tag'
    this.#blank = ''
  }

  #put(text: string): void {
    if (this.#isFresh === undefined) return this.#push(text)
    const shown = text.trimStart()
    if (this.#isFresh === 'since-beginning') this.#blank += text.slice(0, text.length - shown.length)
    if (shown === '') return
    const blank = this.#blank
    this.#blank = ''
    this.#isFresh = undefined
    this.#push(blank + shown)
  }

  #push(text: string): void {
    if (text === '') return
    const piece = this.#more(text)
    const last = this.#pieces.at(-1)
    if (last?.type !== piece.type) this.#pieces.push(piece)
    else this.#pieces[this.#pieces.length - 1] = { ...piece, text: last.text + text }
  }

  #more(text: string): Piece {
    if (this.#isThinking) return { type: 'reasoning', text }
    this.#code.add(text)
    return { type: 'text', text }
  }

  #taken(): readonly Piece[] {
    if (this.#pieces.length === 0) return nothing
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }
}

const nothing: readonly Piece[] = []

const longestTag = 160
const names = 'think|thinking|antthinking'
const namespace = '[a-z][\\w.-]{0,30}:'
const attributes = '\\s[^<>]{0,100}'
const tag = new RegExp(`^<\\s{0,3}(/?)\\s{0,3}(?:${namespace})?(?:${names})(?:${attributes})?/?>`, 'i')
// Everything that may follow a `<` is bounded, so nothing is held for long.
const tagBeginning = new RegExp(
  `^<\\s{0,3}/?\\s{0,3}(?:[a-z][\\w.:-]{0,45}|(?:${namespace})?(?:${names})${attributes})?/?$`,
  'i',
)
