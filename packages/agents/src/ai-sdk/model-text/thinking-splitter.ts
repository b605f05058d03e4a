import { CodeRanges } from './code-ranges.ts'

/** A piece of what a model says. */
export interface Piece {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

/**
 * Separates a model's thinking from its text. The text comes in pieces. Everything from `<think>` to the first `</think>`
 * is reasoning. The tags `thinking` and `antthinking` count as well, and any of the three with a namespace.
 *
 * - In code, a tag is text.
 * - Thinking without an end is reasoning until the end of the step.
 * - White space after a tag is dropped, because the two sides become two parts.
 * - A closing tag without an opening one is dropped at the start of a line. The text before it has been shown already and
 *   stays text. Elsewhere in a line, such a tag is text.
 *
 * It makes no difference how the text is cut into pieces. Only two things are held back: what could be the beginning of a
 * tag, and white space at the very beginning.
 */
export class ThinkingSplitter {
  #code = new CodeRanges()
  #isThinking = false
  /** The end of the text so far, when it could be the beginning of a tag. */
  #held = ''
  /** White space at the beginning of the text, until it is known whether a tag follows. */
  #blank = ''
  /** Set while only white space has come, since the beginning or since a tag. */
  #isFresh: 'since-beginning' | 'since-tag' | undefined = 'since-beginning'
  #pieces: Piece[] = []

  take(text: string): readonly Piece[] {
    if (text === '') return nothing
    // Nearly all pieces are more of the same part, so there is a fast path for them.
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

  /** Call this when something other than text comes, or when the text ends. What was held back is no tag then. */
  pause(): readonly Piece[] {
    const held = this.#held
    this.#held = ''
    this.#put(held)
    this.#push(this.#blank)
    this.#blank = ''
    return this.#taken()
  }

  /** Begins another text. Open code ends with the old text; thinking may go on. */
  endText(): void {
    this.#code = new CodeRanges()
  }

  /** Reads what may be a tag. Returns the position at which the text goes on. */
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
    if (isThinking !== this.#isThinking) this.#code = new CodeRanges()
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
// The length of everything that may follow a `<` is limited, so nothing is held back for long.
const tagBeginning = new RegExp(
  `^<\\s{0,3}/?\\s{0,3}(?:[a-z][\\w.:-]{0,45}|(?:${namespace})?(?:${names})${attributes})?/?$`,
  'i',
)
