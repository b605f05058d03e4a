/** A piece of what an agent says. */
export interface Piece {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

/**
 * Separates an agent's thinking from its text. The text comes in pieces. Everything from `<think>` to the first `</think>`
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
    if (this.#isPlain(text)) return [this.#more(text)]
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

  /** Takes a piece that is text as it is, and returns true. Takes nothing of another piece. */
  takeText(text: string): boolean {
    if (this.#isThinking || !this.#isPlain(text)) return false
    this.#code.add(text)
    return true
  }

  /**
   * Call this when the text part ends. Returns what was held back, which is no tag then. Open code ends with the part, as for
   * those who render it; thinking may go on in the next one.
   */
  pause(): readonly Piece[] {
    const held = this.#held
    this.#held = ''
    this.#put(held)
    this.#push(this.#blank)
    this.#blank = ''
    this.#code = new CodeRanges()
    return this.#taken()
  }

  /** Call this before the first piece, when it continues a text that has been shown: code may be open there. */
  goOnAfter(text: string): void {
    this.#code.add(text)
    this.#isFresh = undefined
  }

  /** Returns whether a piece is more of the same part. Nearly all pieces are. */
  #isPlain(text: string): boolean {
    return this.#held === '' && this.#isFresh === undefined && !text.includes('<')
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

/** Returns what a whole text says, without the thinking in it. */
export function withoutThinking(text: string): string {
  const splitter = new ThinkingSplitter()
  return [...splitter.take(text), ...splitter.pause()]
    .map(piece => (piece.type === 'text' ? piece.text : ''))
    .join('')
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

/**
 * Follows a Markdown text that comes in pieces, and knows whether its end is inside code: in a fenced block, or in a code
 * span between backticks.
 */
class CodeRanges {
  /** The beginning of the current line. It is long enough to see whether the line is a fence. */
  #line = ''
  /** The fenced block in which the current line begins. */
  #fence: Fence | undefined
  /** How many backticks opened the code span; 0 outside of one. */
  #codeSpan = 0
  /** How many backticks stand at the end of the text. */
  #backticks = 0

  get isInCode(): boolean {
    return this.#fence !== undefined || this.#spanAfterBackticks() > 0
  }

  /** True while the current line has only white space. */
  get isAtLineStart(): boolean {
    return this.#line.trim() === ''
  }

  add(text: string): void {
    // Nearly all pieces have neither, so there is a fast path for them.
    if (!/[`\n]/.test(text)) return this.#addPlain(text)
    for (const [run] of text.matchAll(/`+|\n|[^`\n]+/g)) {
      if (run === '\n') this.#endLine()
      else if (run.startsWith('`')) this.#addBackticks(run)
      else this.#addPlain(run)
    }
  }

  #addPlain(text: string): void {
    this.#codeSpan = this.#spanAfterBackticks()
    this.#backticks = 0
    this.#addToLine(text)
  }

  #addBackticks(run: string): void {
    this.#backticks += run.length
    this.#addToLine(run)
  }

  #addToLine(text: string): void {
    const room = maxFenceLine - this.#line.length
    if (room > 0) this.#line += text.slice(0, room)
  }

  /** A code span ends with its line. Otherwise a single backtick would turn the rest of the text into code. */
  #endLine(): void {
    this.#fence = fenceAfter(this.#fence, this.#line)
    this.#line = ''
    this.#codeSpan = 0
    this.#backticks = 0
  }

  /** The code span if no more backticks follow. A span ends with as many backticks as it began with. */
  #spanAfterBackticks(): number {
    if (this.#codeSpan === 0) return this.#backticks
    return this.#backticks === this.#codeSpan ? 0 : this.#codeSpan
  }
}

/** In characters. What comes later in a line does not make it a fence. */
const maxFenceLine = 200

interface Fence {
  readonly marker: string
  /** How many markers opened it. It is closed by this many or more. */
  readonly length: number
  readonly indent: number
}

// A fence may stand in a list or a quote. With a backtick after the markers, it is a code span.
const opening = /^((?:[ \t>]|[-*+] |\d{1,9}[.)] )*)(?:(`{3,})[^`]*|(~{3,}).*)$/s
const closing = /^([ \t>]*)(`{3,}|~{3,})\s*$/

function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  if (open === undefined) return fenceOpenedBy(line)
  const [, indent = '', markers = ''] = closing.exec(line) ?? []
  const isClosed =
    markers.startsWith(open.marker) && markers.length >= open.length && indent.length <= open.indent + 3
  return isClosed ? undefined : open
}

function fenceOpenedBy(line: string): Fence | undefined {
  const [, indent = '', backticks, tildes] = opening.exec(line) ?? []
  const markers = backticks ?? tildes
  if (markers === undefined) return undefined
  return { marker: markers.charAt(0), length: markers.length, indent: indent.length }
}
