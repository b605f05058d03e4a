import { closingOf, type Fence, fenceAfterLine } from './fences.ts'
import { type SentenceEnd, sentenceEndAfter } from './sentence-end.ts'
import { isWhitespace } from './whitespace.ts'

/** Kinds of places to cut at. An `inner` one is a line break inside a table, a list item, a fence or a thought. */
export type BreakKind = 'paragraph' | 'newline' | 'sentence' | 'inner' | 'space'

/** A block may end at `end`; the text goes on at `next`. Between them is nothing but whitespace. */
export interface Break {
  readonly end: number
  readonly next: number
}

export interface ScanOptions {
  readonly minEnd: number
  readonly maxEnd: number
  /** Kinds that are taken as soon as they are seen. */
  readonly eager: ReadonlySet<BreakKind>
  /** The fence in which the text begins. */
  readonly fence: Fence | undefined
}

/** How many units are read beyond the longest block: a character has up to two, and the next one decides. */
export const lookahead = 2

type LineKind = 'plain' | 'table' | 'opener' | 'announcement'

/** A run of whitespace, not yet over. */
interface Gap {
  readonly end: number
  lineBreaks: number
  endsSentence: boolean
}

/**
 * Reads a text that grows at its end, each unit once, and remembers the latest place of every kind at which a
 * block could end. What it finds depends on the text alone, not on the pieces in which it came.
 */
export class BreakScan {
  readonly #options: ScanOptions
  readonly #latest = new Map<BreakKind, Break>()
  #position = 0
  #lineStart = 0
  /** Open at the current line's start. */
  #fence: Fence | undefined
  /** The text's beginning is a line's beginning, whatever was before it: so it is shown. */
  #gap: Gap | undefined = { end: 0, lineBreaks: 1, endsSentence: false }
  #sentence: SentenceEnd = 'none'
  #line: LineKind = 'plain'
  #lineBefore: LineKind = 'plain'
  /** Where the text before the current line ends. */
  #beforeLine = 0
  /** Where the text before the open table or fence ends. */
  #beforeStructure: number | undefined

  constructor(options: ScanOptions) {
    this.#options = options
    this.#fence = options.fence
  }

  /** Reads on. Returns the end of a block as soon as there is an eager one. */
  read(text: string): number | undefined {
    const stop = Math.min(text.length, this.#options.maxEnd + lookahead)
    while (this.#position < stop) {
      const end = this.#fence === undefined ? this.#readUnit(text) : this.#readFenceLine(text, stop)
      if (end !== undefined) return end
    }
    return undefined
  }

  /** The latest break of a kind, now that nothing more will be read. */
  latest(kind: BreakKind): Break | undefined {
    this.#endLastGap()
    return this.#latest.get(kind)
  }

  /** Where the text ends that stands before a table or fence which goes on beyond what was read. */
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

  /** Text goes on after whitespace: only now it is known what the whitespace stood between. */
  #endGap(gap: Gap, text: string, index: number): number | undefined {
    const place = { end: gap.end, next: index }
    const unit = text.charCodeAt(index)
    if (gap.lineBreaks > 0) return this.#beginLine(gap, place, text)
    if (this.#opensFence(text, gap.end)) return undefined
    if (this.#line === 'opener') this.#line = 'plain'
    const kind = this.#line === 'table' ? 'space' : gapKind(gap)
    const isTaken = this.#note(kind, place) && !isMarker(unit)
    return isTaken ? gap.end : undefined
  }

  #endLastGap(): void {
    const gap = this.#gap
    this.#gap = undefined
    if (gap === undefined || (gap.lineBreaks === 0 && this.#line !== 'plain')) return
    this.#note(gapKind(gap), { end: gap.end, next: this.#position })
  }

  #beginLine(gap: Gap, place: Break, text: string): number | undefined {
    const unit = text.charCodeAt(place.next)
    const isRow = unit === bar
    const isTableGoingOn = isRow && this.#lineBefore === 'table' && gap.lineBreaks === 1
    const isIndented = /^(?: {2}|\t)/.test(text.slice(this.#lineStart, place.next)) && !mayBeginListItem(unit)
    const isInner = isTableGoingOn || isIndented || this.#lineBefore === 'announcement'
    this.#line = isRow ? 'table' : isMarker(unit) ? 'opener' : 'plain'
    this.#beforeLine = gap.end
    if (!isRow) this.#beforeStructure = undefined
    else if (!isTableGoingOn) this.#beforeStructure = gap.end
    return this.#note(isInner ? 'inner' : gapKind(gap), place) ? gap.end : undefined
  }

  /** Returns whether a block should end there without reading on. */
  #note(kind: BreakKind, place: Break): boolean {
    const { minEnd, maxEnd, eager } = this.#options
    if (place.end < minEnd || place.end > maxEnd) return false
    this.#latest.set(kind, place)
    return eager.has(kind)
  }

  #opensFence(text: string, end: number): boolean {
    return (
      this.#line === 'opener' && fenceAfterLine(undefined, text.slice(this.#lineStart, end)) !== undefined
    )
  }

  /** The point of `12.` at a line's start ends no sentence. */
  #isListNumber(text: string, index: number): boolean {
    return index - this.#lineStart < 12 && /^\s*\d+$/.test(text.slice(this.#lineStart, index))
  }
}

const lineFeed = 0x0a
const lineSeparator = 0x2028
const paragraphSeparator = 0x2029
const bar = 0x7c

function gapKind({ lineBreaks, endsSentence }: Gap): BreakKind {
  if (lineBreaks > 1) return 'paragraph'
  if (lineBreaks === 1) return 'newline'
  return endsSentence ? 'sentence' : 'space'
}

/** A heading, or a line such as "These are the steps:". It should not be parted from what it announces. */
function isAnnouncement(line: string): boolean {
  return /^ {0,3}#{1,6}\s|[:：]\s*$/.test(line)
}

function isMarker(unit: number): boolean {
  return unit === 0x60 || unit === 0x7e
}

function mayBeginListItem(unit: number): boolean {
  return unit === 0x2d || unit === 0x2a || unit === 0x2b || (unit >= 0x30 && unit <= 0x39)
}
