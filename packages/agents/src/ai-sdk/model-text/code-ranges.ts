/**
 * Follows a Markdown text that comes in pieces, and knows whether its end is inside code: in a fenced block, or in a code
 * span between backticks.
 */
export class CodeRanges {
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
