import { blockEnd } from './block-end.ts'
import { type Block, type BlockChunkerOptions, type ChunkLimits, smallestMaxChars } from './blocks.ts'
import { type BreakKind, BreakScan, lookahead, type ScanOptions } from './break-scan.ts'
import { closingOf, type Fence, fenceAfterLine, fenceAfterText, reopeningOf } from './fences.ts'

export interface DrainOptions {
  /** Also gives out what is shorter than `minChars`. */
  readonly force?: boolean
  readonly emit: (block: Block) => void
}

/**
 * Cuts a text that arrives piece by piece into blocks for a channel.
 *
 * Every block has at most `maxChars` UTF-16 units, and all its code fences are closed. At any time, `joinBlocks` of the
 * blocks that were given out, followed by `bufferedText`, is exactly the text that was appended. Without `force`, the
 * blocks depend on the text alone, not on the pieces in which it came.
 */
export class BlockChunker {
  readonly #limits: ChunkLimits
  readonly #eager: ReadonlySet<BreakKind>
  /** Text that was appended and not looked at yet. */
  #incoming = ''
  /** What stands between the last block and the next one. */
  #before = ''
  /** Whitespace in front of the next block, on the same line. It is part of the block if the block starts a line. */
  #indent = ''
  #isLineStart = true
  /** The next block so far. */
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

  /** Forgets everything. The next text is the start of a new text. */
  reset(): void {
    this.goOnAfter('')
  }

  /** Forgets everything. The next text goes on behind this one: inside its code fence, if it ends in one. */
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

  /** Whether anything but whitespace was not given out yet. */
  hasBuffered(): boolean {
    return hasContent(this.#text) || hasContent(this.#incoming)
  }

  /** Returns what `force` would give out now, if that is one block. Changes nothing. */
  peek(): Block | undefined {
    if (!hasContent(this.#text) || this.#mayBeClosingLine()) return undefined
    const open = fenceAfterText(this.#fence, this.#text)
    const closing = open === undefined ? '' : closingOf(open)
    const own = this.#text.slice(0, lastEnd(this.#text, open))
    const reopening = this.#reopening
    const block = { before: this.#before, text: reopening + own + closing, reopening, closing }
    return block.text.length <= this.#limits.maxChars ? block : undefined
  }

  /** Gives out every block that is complete. When `emit` throws, its block counts as given out. */
  drain({ force = false, emit }: DrainOptions): void {
    for (;;) {
      this.#takeIncoming()
      if (this.#dropClosingLine(force)) continue
      const end = this.#nextEnd(force)
      if (end === undefined) return
      emit(this.#cut(end))
    }
  }

  /** Whether the text may become the line that closes a fence. That line is in no block if the fence is closed already. */
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
    // If the indent came together with the text, nothing is concatenated. That would copy a long text for every block.
    else if (indent.length === first - lineStart) this.#incoming = incoming.slice(lineStart)
    else this.#text = indent
  }

  // Inside a fence whitespace is content, except for the line break at which the last block was cut.
  #skipLineBreak(): void {
    if (this.#isLineStart || this.#incoming === '') return
    this.#isLineStart = true
    const [lineBreak = ''] = /^\r?\n/.exec(this.#incoming) ?? []
    this.#before += lineBreak
    this.#incoming = this.#incoming.slice(lineBreak.length)
  }

  /** Skips a first line that closes the fence: the last block has closed it already. Returns whether there was one. */
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

const eagerKinds = {
  paragraph: new Set<BreakKind>(['paragraph']),
  newline: new Set<BreakKind>(['paragraph', 'newline']),
  sentence: new Set<BreakKind>(['paragraph', 'newline', 'sentence']),
  limit: new Set<BreakKind>(),
} as const

function hasContent(text: string): boolean {
  return /\S/.test(text)
}

/** Returns where a text ends without its trailing whitespace. Inside a fence only the last line break is left out. */
function lastEnd(text: string, open: Fence | undefined): number {
  if (open === undefined) return text.trimEnd().length
  return text.length - (/\r?\n$/.exec(text)?.[0].length ?? 0)
}

/** Returns the blocks of a whole text. With `after`, cuts as if the blocks of that other text came before. */
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
