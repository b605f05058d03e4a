/**
 * Follows a Markdown text that comes in pieces, and knows whether its end is inside code: in a fence, or between
 * backticks within a line.
 */
export class CodePlaces {
  /** The beginning of the current line: enough to tell whether it is a fence. */
  #line = ''
  /** The fence that is open at the current line's start. */
  #fence: Fence | undefined
  /** How many backticks opened the code within the line; 0 outside of code. */
  #codeSpan = 0
  /** How many backticks the text ends with. */
  #backticks = 0

  get isInCode(): boolean {
    return this.#fence !== undefined || this.#spanAfterBackticks() > 0
  }

  /** Whether the current line has nothing but whitespace so far. */
  get isAtLineStart(): boolean {
    return this.#line.trim() === ''
  }

  add(text: string): void {
    // Nearly all pieces have neither, so they have a short way of their own.
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

  /** Code within a line ends with the line: an apostrophe-like backtick must not swallow the rest of a text. */
  #endLine(): void {
    this.#fence = fenceAfter(this.#fence, this.#line)
    this.#line = ''
    this.#codeSpan = 0
    this.#backticks = 0
  }

  /** The code span when no more backticks follow: as many as opened it end it. */
  #spanAfterBackticks(): number {
    if (this.#codeSpan === 0) return this.#backticks
    return this.#backticks === this.#codeSpan ? 0 : this.#codeSpan
  }
}

/** In characters. What stands behind them in a line makes no fence of it. */
const maxFenceLine = 200

interface Fence {
  readonly marker: string
  /** How many markers opened it: as many, or more, close it. */
  readonly length: number
  readonly indent: number
}

// A fence may stand in a list or a quote. A backtick after the markers makes it code within a line.
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
