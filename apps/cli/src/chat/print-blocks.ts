import { fit } from '../text/fit.ts'
import type { Paint } from '../text/look.ts'
import { plainText } from '../text/plain-text.ts'
import type { Block, Speaker } from './block.ts'

/** What is on the screen. A terminal can only be written on at its end, so this decides what can be printed next. */
export interface Printed {
  /** The text that was printed of each block, by the block's key. */
  readonly seen: ReadonlyMap<string, string>
  /** The key of the last block: the cursor stands at its end. */
  readonly last: string | undefined
  /** The key of the text that is being written. Other blocks wait until it ends, so that no sentence is torn apart. */
  readonly live: string | undefined
  readonly speakerId: string | undefined
  /** `blank`: below an empty line, or at the top. `start`: at the start of a line. `middle`: inside of a line. */
  readonly cursor: 'blank' | 'start' | 'middle'
}

/** The text to print next, and what is on the screen after it. */
export interface Printing {
  readonly printed: Printed
  readonly text: string
}

/** How text looks on this output. */
export interface PrintOptions {
  readonly paint: Paint
  /** The width of the screen in characters; `undefined` when the output is not a screen. */
  readonly columns: number | undefined
}

/** An empty screen. */
export const nothingPrinted: Printed = {
  seen: new Map(),
  last: undefined,
  live: undefined,
  speakerId: undefined,
  cursor: 'blank',
}

/** Returns the text to print so that the screen shows these blocks. Pure. Nothing is printed twice. */
export function printBlocks(printed: Printed, blocks: readonly Block[], options: PrintOptions): Printing {
  const page = new Page(printed, options)
  const live = blocks.find(({ key }) => key === printed.live)
  if (live !== undefined) page.add(live)
  if (live !== undefined && isOpen(live)) return page.printing(live.key)
  for (const block of blocks) {
    page.add(block)
    if (isOpen(block)) return page.printing(block.key)
  }
  return page.printing(undefined)
}

/** Returns a line break when the cursor is inside of a line. */
export function endLine(printed: Printed): Printing {
  if (printed.cursor !== 'middle') return { printed, text: '' }
  return { printed: { ...printed, cursor: 'start' }, text: '\n' }
}

/** Returns what ends the line and leaves an empty line below it. */
export function endTurn(printed: Printed): Printing {
  const { text, printed: ended } = endLine(printed)
  if (ended.cursor === 'blank') return { printed: ended, text }
  return { printed: { ...ended, cursor: 'blank' }, text: `${text}\n` }
}

function isOpen(block: Block): boolean {
  return block.kind === 'text' && block.isOpen && visibleText(block) !== ''
}

/** Returns a text without the empty lines around it. Half a surrogate pair at the end waits for the other half. */
function visibleText({ text }: Block): string {
  return text.replace(/^\n+/, '').replace(/[\n\ud800-\udbff]+$/, '')
}

// The width when the output is not a screen: long enough for most calls, short enough to read.
const columnsOfNoScreen = 200
// Space behind a call for its outcome, such as " … ✓ 12.3 s".
const outcomeColumns = 12

/** Collects the text of one call of `printBlocks`. */
class Page {
  readonly #options: PrintOptions
  readonly #added = new Map<string, string>()
  #printed: Printed
  #text = ''

  constructor(printed: Printed, options: PrintOptions) {
    this.#printed = printed
    this.#options = options
  }

  printing(live: string | undefined): Printing {
    const { seen } = this.#printed
    const all = this.#added.size === 0 ? seen : new Map([...seen, ...this.#added])
    return { printed: { ...this.#printed, seen: all, live }, text: this.#text }
  }

  add(block: Block): void {
    if (block.kind === 'text') return this.#addText(block)
    if (this.#seenOf(block) !== undefined) return
    switch (block.kind) {
      case 'call':
        return this.#addLine(block, `${fit(block.text, this.#roomFor(block))} …`)
      case 'outcome':
        if (this.#isAtEndOf(block.callKey)) return this.#continue(block, ` ${block.text}`)
        return this.#addLine(block, block.alone)
      case 'note':
        return this.#addLine(block, block.text)
    }
  }

  #addText(block: Block): void {
    const text = visibleText(block)
    const known = this.#seenOf(block)
    // A shorter text than before: the step is tried again, and may produce the same text.
    if (text === '' || text === known || known?.startsWith(text)) return
    if (known === undefined) return this.#addLine(block, text, text)
    if (!text.startsWith(known)) return this.#addLine(block, `↻ ${text}`, text)
    const rest = text.slice(known.length)
    if (this.#isAtEndOf(block.key)) return this.#continue(block, rest, text)
    this.#addLine(block, rest.trimStart(), text)
  }

  /** Starts a new line. It begins with the name of the speaker, unless the line above has the same speaker. */
  #addLine(block: Block, text: string, seen = ''): void {
    const { speaker } = block
    const name = this.#nameBefore(block)
    const isTurn = name !== '' && speaker.role === 'user'
    const { printed, text: ending } = isTurn ? endTurn(this.#printed) : endLine(this.#printed)
    this.#printed = printed
    this.#text += ending + marginOf(speaker) + this.#options.paint('name', name)
    this.#continue(block, text, seen)
  }

  #continue({ key, speaker, look }: Block, text: string, seen = ''): void {
    const { paint } = this.#options
    const lines = plainText(text).split('\n')
    this.#text += lines
      .map((line, index) => (index === 0 || line === '' ? '' : marginOf(speaker)) + paint(look, line))
      .join('\n')
    this.#added.set(key, seen)
    this.#printed = { ...this.#printed, last: key, speakerId: speaker.id, cursor: 'middle' }
  }

  #nameBefore({ speaker }: Block): string {
    return speaker.id === this.#printed.speakerId ? '' : `${speaker.name} › `
  }

  #roomFor(block: Block): number {
    const { columns = columnsOfNoScreen } = this.#options
    const taken = marginOf(block.speaker).length + this.#nameBefore(block).length + outcomeColumns
    return Math.max(20, columns - taken)
  }

  #seenOf({ key }: Block): string | undefined {
    return this.#added.get(key) ?? this.#printed.seen.get(key)
  }

  #isAtEndOf(key: string): boolean {
    return this.#printed.cursor === 'middle' && this.#printed.last === key
  }
}

function marginOf({ depth }: Speaker): string {
  return '  '.repeat(depth)
}
