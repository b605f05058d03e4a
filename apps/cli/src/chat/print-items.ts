import type { Message } from '@throughline/protocol'
import { fit } from '../text/fit.ts'
import type { Look, Paint } from '../text/look.ts'
import { plainText } from '../text/plain-text.ts'

/** The person or the agent who says something. */
export interface Speaker {
  readonly id: string
  readonly role: Message['role']
  readonly name: string
  /** 0 for a person and for the master, 1 for its sub-agents, and so on. */
  readonly depth: number
}

interface Common {
  /** Stays the same in every snapshot. By this key the printer knows what it has printed already. */
  readonly key: string
  readonly speaker: Speaker
  readonly look: Look
  readonly text: string
}

/** One piece of a chat in a terminal. */
export type ScreenItem =
  /** Text that may still grow. */
  | (Common & { readonly kind: 'text'; readonly isOpen: boolean })
  /** A tool call: one line, cut to the width of the screen. Its outcome may follow on the same line. */
  | (Common & { readonly kind: 'call' })
  /**
   * The outcome of a call. Printed on the line of the call if that is still the last one; otherwise `alone` on a new
   * line.
   */
  | (Common & { readonly kind: 'outcome'; readonly callKey: string; readonly alone: string })
  /** A note, printed once and as it is. */
  | (Common & { readonly kind: 'note' })

/** What is on the screen. A terminal can only be written on at its end, so this decides what can be printed next. */
export interface Printed {
  /** The text that was printed of each item, by the item's key. */
  readonly seen: ReadonlyMap<string, string>
  /** The key of the last item: the cursor stands at its end. */
  readonly last: string | undefined
  /** The key of the text that is being written. Other items wait until it ends, so that no sentence is torn apart. */
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

/** Returns the text to print so that the screen shows these items. Pure. Nothing is printed twice. */
export function printItems(printed: Printed, items: readonly ScreenItem[], options: PrintOptions): Printing {
  const page = new Page(printed, options)
  const live = items.find(({ key }) => key === printed.live)
  if (live !== undefined) page.add(live)
  if (live !== undefined && isOpen(live)) return page.printing(live.key)
  for (const item of items) {
    page.add(item)
    if (isOpen(item)) return page.printing(item.key)
  }
  return page.printing(undefined)
}

/** Returns a line break when the cursor is inside of a line. */
export function endLine(printed: Printed): Printing {
  if (printed.cursor !== 'middle') return { printed, text: '' }
  return { printed: { ...printed, cursor: 'start' }, text: '\n' }
}

/** Returns what ends the line and leaves an empty line below it. */
export function leaveBlankLine(printed: Printed): Printing {
  const { text, printed: ended } = endLine(printed)
  if (ended.cursor === 'blank') return { printed: ended, text }
  return { printed: { ...ended, cursor: 'blank' }, text: `${text}\n` }
}

function isOpen(item: ScreenItem): boolean {
  return item.kind === 'text' && item.isOpen && visibleText(item) !== ''
}

/** Returns a text without the empty lines around it. Half a surrogate pair at the end waits for the other half. */
function visibleText({ text }: ScreenItem): string {
  return text.replace(/^\n+/, '').replace(/[\n\ud800-\udbff]+$/, '')
}

// The width when the output is not a screen: long enough for most calls, short enough to read.
const columnsOfNoScreen = 200
// Space behind a call for its outcome, such as " … ✓ 12.3 s".
const outcomeColumns = 12

/** Collects the text of one call of `printItems`. */
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

  add(item: ScreenItem): void {
    if (item.kind === 'text') return this.#addText(item)
    if (this.#seenOf(item) !== undefined) return
    switch (item.kind) {
      case 'call':
        return this.#addLine(item, `${fit(item.text, this.#roomFor(item))} …`)
      case 'outcome':
        if (this.#isAtEndOf(item.callKey)) return this.#continue(item, ` ${item.text}`)
        return this.#addLine(item, item.alone)
      case 'note':
        return this.#addLine(item, item.text)
    }
  }

  #addText(item: ScreenItem): void {
    const text = visibleText(item)
    const known = this.#seenOf(item)
    // A shorter text than before: the step is tried again, and may produce the same text.
    if (text === '' || text === known || known?.startsWith(text)) return
    if (known === undefined) return this.#addLine(item, text, text)
    if (!text.startsWith(known)) return this.#addLine(item, `↻ ${text}`, text)
    const rest = text.slice(known.length)
    if (this.#isAtEndOf(item.key)) return this.#continue(item, rest, text)
    this.#addLine(item, rest.trimStart(), text)
  }

  /** Starts a new line. It begins with the name of the speaker, unless the line above has the same speaker. */
  #addLine(item: ScreenItem, text: string, seen = ''): void {
    const { speaker } = item
    const name = this.#nameBefore(item)
    const isPersonNext = name !== '' && speaker.role === 'user'
    const { printed, text: ending } = isPersonNext ? leaveBlankLine(this.#printed) : endLine(this.#printed)
    this.#printed = printed
    this.#text += ending + marginOf(speaker) + this.#options.paint('name', name)
    this.#continue(item, text, seen)
  }

  #continue({ key, speaker, look }: ScreenItem, text: string, seen = ''): void {
    const { paint } = this.#options
    const lines = plainText(text).split('\n')
    this.#text += lines
      .map((line, index) => (index === 0 || line === '' ? '' : marginOf(speaker)) + paint(look, line))
      .join('\n')
    this.#added.set(key, seen)
    this.#printed = { ...this.#printed, last: key, speakerId: speaker.id, cursor: 'middle' }
  }

  #nameBefore({ speaker }: ScreenItem): string {
    return speaker.id === this.#printed.speakerId ? '' : `${speaker.name} › `
  }

  #roomFor(item: ScreenItem): number {
    const { columns = columnsOfNoScreen } = this.#options
    const taken = marginOf(item.speaker).length + this.#nameBefore(item).length + outcomeColumns
    return Math.max(20, columns - taken)
  }

  #seenOf({ key }: ScreenItem): string | undefined {
    return this.#added.get(key) ?? this.#printed.seen.get(key)
  }

  #isAtEndOf(key: string): boolean {
    return this.#printed.cursor === 'middle' && this.#printed.last === key
  }
}

function marginOf({ depth }: Speaker): string {
  return '  '.repeat(depth)
}
