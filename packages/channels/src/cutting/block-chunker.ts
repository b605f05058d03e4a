import { blockEnd } from './block-end.ts'
import type { Block } from './blocks.ts'
import { type BreakKind, BreakScan, lookahead, type ScanOptions } from './break-scan.ts'
import type { ChunkLimits } from './chunk-limits.ts'
import { closingOf, type Fence, fenceAfterLine, fenceAfterText, reopeningOf } from './fences.ts'

/**
 * At which breaks a block ends as soon as it is long enough; with `limit` at none. The others are used when it gets
 * too long.
 */
export type BreakPreference = 'paragraph' | 'newline' | 'sentence' | 'limit'

export interface BlockChunkerOptions extends ChunkLimits {
  readonly preference?: BreakPreference
}

export interface DrainOptions {
  /** Also gives out what is shorter than a block. */
  readonly force?: boolean
  readonly emit: (block: Block) => void
}

/**
 * Cuts a text that arrives piece by piece into blocks for a channel.
 *
 * Every block is at most `maxChars` long (UTF-16 units) and has all its fences closed. At any time,
 * `joinBlocks` of the blocks given out, followed by `bufferedText`, is what was appended. Without `force`
 * the blocks do not depend on the pieces in which the text came.
 */
export class BlockChunker {
  readonly #limits: ChunkLimits
  readonly #eager: ReadonlySet<BreakKind>
  /** Not looked at yet. */
  #incoming = ''
  /** What goes between the block before and the next one. */
  #before = ''
  /** Whitespace at the start of the next block's first line; its own, if the block begins with the line. */
  #indent = ''
  #isLineStart = true
  /** The next block so far, from its first character on. */
  #text = ''
  #fence: Fence | undefined
  #reopening = ''
  #scan: BreakScan

  constructor({ minChars, maxChars, preference = 'paragraph' }: BlockChunkerOptions) {
    if (maxChars < smallestMaxChars || minChars > maxChars) {
      const advice = `maxChars has to be at least ${smallestMaxChars}, and minChars at most maxChars.`
      throw new RangeError(`Blocks of ${minChars} to ${maxChars} characters cannot be cut: ${advice}`)
    }
    this.#limits = { minChars, maxChars }
    this.#eager = eagerKinds[preference]
    this.#scan = new BreakScan(this.#scanOptions())
  }

  append(text: string): void {
    this.#incoming += text
  }

  /** Forgets everything, as before the first text. */
  reset(): void {
    this.goOnAfter('')
  }

  /** Forgets everything and goes on as after blocks that join to this text: in a fence, if they end in one. */
  goOnAfter(text: string): void {
    this.#incoming = ''
    this.#before = ''
    this.#indent = ''
    this.#isLineStart = text === ''
    this.#begin(fenceAfterText(undefined, text))
  }

  get bufferedText(): string {
    return this.#before + this.#indent + this.#text + this.#incoming
  }

  /** Whether there is anything but whitespace that was not given out. */
  hasBuffered(): boolean {
    return hasContent(this.#text) || hasContent(this.#incoming)
  }

  /** What `force` would give out now, if that is one block. Nothing changes by it. */
  peek(): Block | undefined {
    if (!hasContent(this.#text) || this.#mayBeClosingLine()) return undefined
    const open = fenceAfterText(this.#fence, this.#text)
    const closing = open === undefined ? '' : closingOf(open)
    const own = this.#text.slice(0, lastEnd(this.#text, open))
    const reopening = this.#reopening
    const block = { before: this.#before, text: reopening + own + closing, reopening, closing }
    return block.text.length <= this.#limits.maxChars ? block : undefined
  }

  /** Gives out every block that is complete. A block counts as given out even if `emit` throws. */
  drain({ force = false, emit }: DrainOptions): void {
    for (;;) {
      this.#takeIncoming()
      if (this.#dropClosingLine(force)) continue
      const end = this.#nextEnd(force)
      if (end === undefined) return
      emit(this.#cut(end))
    }
  }

  /** Whether all there is of a reopened fence could still become the line that closes it, which is in no block. */
  #mayBeClosingLine(): boolean {
    return this.#fence !== undefined && /^ {0,3}[`~]*[^\S\n]*$/.test(this.#text)
  }

  #nextEnd(force: boolean): number | undefined {
    const options = this.#scanOptions()
    const eagerEnd = this.#scan.read(this.#text)
    if (eagerEnd !== undefined) return eagerEnd
    const reach = options.maxEnd + lookahead
    if (this.#text.length >= reach) return blockEnd(this.#text.slice(0, reach), this.#scan, options)
    if (!force || !hasContent(this.#text)) return undefined
    const open = fenceAfterText(this.#fence, this.#text)
    const end = lastEnd(this.#text, open)
    const closingLength = open === undefined ? 0 : closingOf(open).length
    return end + closingLength <= options.maxEnd ? end : blockEnd(this.#text, this.#scan, options)
  }

  #cut(end: number): Block {
    const own = this.#text.slice(0, end)
    const open = fenceAfterText(this.#fence, own)
    const closing = open === undefined ? '' : closingOf(open)
    const reopening = this.#reopening
    const block = { before: this.#before, text: reopening + own + closing, reopening, closing }
    this.#incoming = this.#text.slice(end) + this.#incoming
    this.#before = ''
    this.#isLineStart = false
    this.#begin(open)
    return block
  }

  #begin(open: Fence | undefined): void {
    this.#text = ''
    this.#reopening = open === undefined ? '' : reopeningOf(open, this.#limits.maxChars)
    this.#fence = open === undefined ? undefined : fenceAfterLine(undefined, this.#reopening.trimEnd())
    this.#scan = new BreakScan(this.#scanOptions())
  }

  #scanOptions(): ScanOptions {
    const { minChars, maxChars } = this.#limits
    const added = this.#reopening.length
    const minEnd = Math.max(1, minChars - added)
    return { minEnd, maxEnd: maxChars - added, eager: this.#eager, fence: this.#fence }
  }

  #takeIncoming(): void {
    if (this.#text === '') this.#skipWhitespace()
    this.#text += this.#incoming
    this.#incoming = ''
  }

  #skipWhitespace(): void {
    if (this.#fence !== undefined) return this.#skipLineBreak()
    const incoming = this.#incoming
    const found = incoming.search(/\S/)
    const first = found === -1 ? incoming.length : found
    const lineStart = incoming.lastIndexOf('\n', first - 1) + 1
    if (lineStart > 0) {
      this.#before += this.#indent + incoming.slice(0, lineStart)
      this.#indent = ''
      this.#isLineStart = true
    }
    const indent = this.#indent + incoming.slice(lineStart, first)
    this.#indent = found === -1 ? indent : ''
    this.#incoming = incoming.slice(first)
    if (found === -1) return
    const isKept = this.#isLineStart && indent.length <= this.#limits.maxChars / 2
    if (!isKept) this.#before += indent
    // In one piece it is not put together again: that would copy all of a long text for each of its blocks.
    else if (indent.length === first - lineStart) this.#incoming = incoming.slice(lineStart)
    else this.#text = indent
  }

  // Inside a fence all whitespace is content, but for the line break at which the block before was cut.
  #skipLineBreak(): void {
    if (this.#isLineStart || this.#incoming === '') return
    this.#isLineStart = true
    const [lineBreak = ''] = /^\r?\n/.exec(this.#incoming) ?? []
    this.#before += lineBreak
    this.#incoming = this.#incoming.slice(lineBreak.length)
  }

  /** Passes over a first line that closes a reopened fence: the block before has done so. Returns whether it did. */
  #dropClosingLine(force: boolean): boolean {
    if (this.#fence === undefined || this.#text === '') return false
    const lineBreak = this.#text.indexOf('\n')
    if (lineBreak === -1 && !force) return false
    const line = lineBreak === -1 ? this.#text : this.#text.slice(0, lineBreak)
    const isTooLong = line.length >= this.#scanOptions().maxEnd + lookahead
    if (isTooLong || fenceAfterLine(this.#fence, line) !== undefined) return false
    this.#before += line
    this.#incoming = this.#text.slice(line.length) + this.#incoming
    this.#isLineStart = false
    this.#begin(undefined)
    return true
  }
}

const smallestMaxChars = 40

const eagerKinds = {
  paragraph: new Set<BreakKind>(['paragraph']),
  newline: new Set<BreakKind>(['paragraph', 'newline']),
  sentence: new Set<BreakKind>(['paragraph', 'newline', 'sentence']),
  limit: new Set<BreakKind>(),
} as const

function hasContent(text: string): boolean {
  return /\S/.test(text)
}

/** The end of a text without the whitespace that follows. In a fence that is only the last line break. */
function lastEnd(text: string, open: Fence | undefined): number {
  if (open === undefined) return text.trimEnd().length
  return text.length - (/\r?\n$/.exec(text)?.[0].length ?? 0)
}

/** The blocks of a whole text, or of one that comes after another, which is not among them. */
export function blocksOf(
  text: string,
  options: BlockChunkerOptions,
  { after = '' }: { readonly after?: string | undefined } = {},
): Block[] {
  const blocks: Block[] = []
  const chunker = new BlockChunker(options)
  chunker.goOnAfter(after)
  chunker.append(text)
  chunker.drain({ force: true, emit: block => blocks.push(block) })
  return blocks
}
