import {
  isAnnouncement,
  isFenceMarker,
  isTableBar,
  isWhitespace,
  mayBeginListItem,
  type SentenceEnd,
  sentenceEndAfter,
} from './characters.ts'
import { closingOf, type Fence, fenceAfterLine } from './fences.ts'

/**
 * Kinds of positions to cut at. An `inner` one is a line break inside a table, a list item or a fence, or behind a line
 * that announces the next one.
 */
export type BreakKind = 'paragraph' | 'newline' | 'sentence' | 'inner' | 'space'

/** A block may end at `end`, and the next one begins at `next`. Between the two is only whitespace. */
export interface Break {
  readonly end: number
  readonly next: number
}

export interface ScanOptions {
  /** Breaks before this position are ignored. */
  readonly minEnd: number
  /** The last position at which a block may end. */
  readonly maxEnd: number
  /** Kinds at which a block ends as soon as one is seen. */
  readonly eager: ReadonlySet<BreakKind>
  /** The fence in which the text begins. */
  readonly fence: Fence | undefined
}

/** How many UTF-16 units are read behind the longest block: the next character tells whether a block may end there. */
export const lookahead = 2

type LineKind = 'plain' | 'table' | 'opener' | 'announcement'

/** Whitespace that may go on. */
interface Gap {
  readonly end: number
  lineBreaks: number
  endsSentence: boolean
}

/**
 * Reads a text that grows at its end, each UTF-16 unit once. Remembers the latest break of every kind. The breaks depend
 * on the text alone, not on the pieces in which it came.
 */
export class BreakScan {
  readonly #options: ScanOptions
  readonly #latest = new Map<BreakKind, Break>()
  #position = 0
  #lineStart = 0
  /** The fence that is open at the start of the current line. */
  #fence: Fence | undefined
  /** The text begins a new message, so its beginning counts as the beginning of a line. */
  #gap: Gap | undefined = { end: 0, lineBreaks: 1, endsSentence: false }
  #sentence: SentenceEnd = 'none'
  #line: LineKind = 'plain'
  #lineBefore: LineKind = 'plain'
  /** Where the text in front of the current line ends. */
  #beforeLine = 0
  /** Where the text in front of the open table or fence ends. */
  #beforeStructure: number | undefined

  constructor(options: ScanOptions) {
    this.#options = options
    this.#fence = options.fence
  }

  /** Reads on. Returns where the block ends as soon as there is an eager break. */
  read(text: string): number | undefined {
    const stop = Math.min(text.length, this.#options.maxEnd + lookahead)
    while (this.#position < stop) {
      const end = this.#fence === undefined ? this.#readUnit(text) : this.#readFenceLine(text, stop)
      if (end !== undefined) return end
    }
    return undefined
  }

  /** Returns the latest break of a kind. Nothing more may be read after this. */
  latest(kind: BreakKind): Break | undefined {
    this.#endLastGap()
    return this.#latest.get(kind)
  }

  /** Returns where the text in front of the open table or fence ends, if one is open. */
  beforeStructure(text: string): number | undefined {
    const isOpener = this.#fence === undefined && this.#opensFence(text, this.#position)
    return isOpener ? this.#beforeLine : this.#beforeStructure
  }

  #readUnit(text: string): number | undefined {
    const index = this.#position
    this.#position += 1
    const unit = text.charCodeAt(index)
    if (isWhitespace(unit)) {
      this.#readWhitespace(text, index)
      return undefined
    }
    const before = this.#sentence
    this.#sentence = sentenceEndAfter(before, unit)
    if (this.#sentence === 'latin' && this.#isListNumber(text, index)) this.#sentence = 'none'
    const isOver = before === 'wide' && this.#sentence === 'none'
    const gap = isOver ? { end: index, lineBreaks: 0, endsSentence: true } : this.#gap
    this.#gap = undefined
    return gap === undefined ? undefined : this.#endGap(gap, text, index)
  }

  #readWhitespace(text: string, index: number): void {
    const unit = text.charCodeAt(index)
    this.#gap ??= { end: index, lineBreaks: 0, endsSentence: this.#sentence !== 'none' }
    this.#sentence = 'none'
    if (unit === lineSeparator || unit === paragraphSeparator) this.#gap.endsSentence = true
    if (unit !== lineFeed) return
    this.#gap.lineBreaks += 1
    this.#endLine(text, index)
  }

  #endLine(text: string, index: number): void {
    const line = text.slice(this.#lineStart, index)
    this.#lineStart = index + 1
    if (line.trim() === '') return
    this.#fence = fenceAfterLine(undefined, line)
    this.#lineBefore = this.#line !== 'table' && isAnnouncement(line) ? 'announcement' : this.#line
    if (this.#fence === undefined) return
    this.#beforeStructure = this.#beforeLine
    this.#gap = undefined
  }

  #readFenceLine(text: string, stop: number): undefined {
    const index = text.indexOf('\n', this.#position)
    if (index === -1 || index >= stop) {
      this.#position = stop
      return
    }
    this.#position = index + 1
    const line = text.slice(this.#lineStart, index)
    this.#fence = fenceAfterLine(this.#fence, line)
    if (this.#fence === undefined) {
      this.#beforeStructure = undefined
      this.#line = 'plain'
      this.#lineBefore = 'plain'
      this.#gap = { end: this.#lineStart + line.trimEnd().length, lineBreaks: 1, endsSentence: false }
    }
    this.#lineStart = index + 1
    if (this.#fence === undefined) return
    const end = line.endsWith('\r') ? index - 1 : index
    const hasRoom = end + closingOf(this.#fence).length <= this.#options.maxEnd
    if (hasRoom) this.#note('inner', { end, next: index + 1 })
  }

  /** The text goes on behind whitespace. Only now is it known between what the whitespace stands. */
  #endGap(gap: Gap, text: string, index: number): number | undefined {
    const found = { end: gap.end, next: index }
    const unit = text.charCodeAt(index)
    if (gap.lineBreaks > 0) return this.#beginLine(gap, found, text)
    if (this.#opensFence(text, gap.end)) return undefined
    if (this.#line === 'opener') this.#line = 'plain'
    const kind = this.#line === 'table' ? 'space' : gapKind(gap)
    const isTaken = this.#note(kind, found) && !isFenceMarker(unit)
    return isTaken ? gap.end : undefined
  }

  #endLastGap(): void {
    const gap = this.#gap
    this.#gap = undefined
    if (gap === undefined || (gap.lineBreaks === 0 && this.#line !== 'plain')) return
    this.#note(gapKind(gap), { end: gap.end, next: this.#position })
  }

  #beginLine(gap: Gap, found: Break, text: string): number | undefined {
    const unit = text.charCodeAt(found.next)
    const isRow = isTableBar(unit)
    const isTableGoingOn = isRow && this.#lineBefore === 'table' && gap.lineBreaks === 1
    const isIndented = /^(?: {2}|\t)/.test(text.slice(this.#lineStart, found.next)) && !mayBeginListItem(unit)
    const isInner = isTableGoingOn || isIndented || this.#lineBefore === 'announcement'
    this.#line = isRow ? 'table' : isFenceMarker(unit) ? 'opener' : 'plain'
    this.#beforeLine = gap.end
    if (!isRow) this.#beforeStructure = undefined
    else if (!isTableGoingOn) this.#beforeStructure = gap.end
    return this.#note(isInner ? 'inner' : gapKind(gap), found) ? gap.end : undefined
  }

  /** Remembers a break. Returns whether the block should end there, without reading on. */
  #note(kind: BreakKind, found: Break): boolean {
    const { minEnd, maxEnd, eager } = this.#options
    if (found.end < minEnd || found.end > maxEnd) return false
    this.#latest.set(kind, found)
    return eager.has(kind)
  }

  #opensFence(text: string, end: number): boolean {
    return (
      this.#line === 'opener' && fenceAfterLine(undefined, text.slice(this.#lineStart, end)) !== undefined
    )
  }

  /** Whether the text is a list number such as `12.`, whose point ends no sentence. */
  #isListNumber(text: string, index: number): boolean {
    return index - this.#lineStart < 12 && /^\s*\d+$/.test(text.slice(this.#lineStart, index))
  }
}

const lineFeed = 0x0a
const lineSeparator = 0x2028
const paragraphSeparator = 0x2029

function gapKind({ lineBreaks, endsSentence }: Gap): BreakKind {
  if (lineBreaks > 1) return 'paragraph'
  if (lineBreaks === 1) return 'newline'
  return endsSentence ? 'sentence' : 'space'
}
