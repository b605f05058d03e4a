import type { HtmlToken } from './html-tokens.ts'

/** An event of a walk through the elements of a page. */
export type HtmlEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'enter'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: 'leave'; readonly name: string }

/**
 * Turns tokens into balanced events: every `enter` has exactly one `leave`, and they nest. Adds the end tags that HTML
 * allows to omit, and ignores end tags without a start tag.
 */
export class TagBalance {
  readonly #isXml: boolean
  readonly #names: string[] = []
  readonly #counts = new Map<string, number>()

  constructor({ isXml = false }: { readonly isXml?: boolean } = {}) {
    this.#isXml = isXml
  }

  /** Returns the events of the next token. Must be called with every token of the page in order. */
  eventsOf(token: HtmlToken): readonly HtmlEvent[] {
    if (token.type === 'text') return [token]
    if (token.type === 'nothing') return []
    if (token.type === 'close') return this.#closeNearest(token.name)
    const { name, attributes, isSelfClosing } = token
    const events = this.#closeImplied(name)
    events.push({ type: 'enter', name, attributes })
    const isEmpty = isSelfClosing && (this.#isXml || name === 'svg' || name === 'math')
    if (isEmpty || voidElements.has(name)) events.push({ type: 'leave', name })
    else this.#push(name)
    return events
  }

  /** Returns the events that close all elements that are still open. */
  end(): readonly HtmlEvent[] {
    return this.#closeDownTo(0)
  }

  #push(name: string): void {
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  #closeImplied(name: string): HtmlEvent[] {
    const implied = impliedBy.get(name)
    if (implied === undefined) return []
    const lowest = Math.max(0, this.#names.length - maxLookDown)
    let found = this.#names.length
    for (let index = found - 1; index >= lowest; index -= 1) {
      const open = this.#names[index] ?? ''
      if (implied.upTo.has(open)) break
      if (implied.closes.has(open)) found = index
    }
    return this.#closeDownTo(found)
  }

  #closeNearest(name: string): HtmlEvent[] {
    // The counts show without a search that there is nothing to close. Otherwise all elements that the search passes
    // are closed, so each of them is passed only once, and the time stays linear.
    if ((this.#counts.get(name) ?? 0) === 0) return []
    return this.#closeDownTo(this.#names.lastIndexOf(name))
  }

  #closeDownTo(length: number): HtmlEvent[] {
    const events: HtmlEvent[] = []
    while (this.#names.length > length) {
      const name = this.#names.pop() ?? ''
      this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1)
      events.push({ type: 'leave', name })
    }
    return events
  }
}

const voidElements = setOf('area base br col embed hr img input link meta param source track wbr')

const closesParagraph = setOf(
  'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'main menu nav ol p pre section table ul',
)

/** A new element closes the open elements in `closes`. It looks for them only up to an element in `upTo`. */
type Implied = { readonly closes: ReadonlySet<string>; readonly upTo: ReadonlySet<string> }

const tableParts = setOf('tr td th thead tbody tfoot caption colgroup')
const paragraph: Implied = { closes: setOf('p'), upTo: setOf('table td th caption button object svg') }
const cell: Implied = { closes: setOf('td th caption colgroup'), upTo: setOf('table tr') }
const row: Implied = { closes: setOf('tr caption colgroup'), upTo: setOf('table') }
const group: Implied = { closes: tableParts, upTo: setOf('table') }
const item: Implied = { closes: setOf('li'), upTo: setOf('ul ol menu') }
const term: Implied = { closes: setOf('dt dd'), upTo: setOf('dl') }
const option: Implied = { closes: setOf('option'), upTo: setOf('select') }
const link: Implied = { closes: setOf('a'), upTo: setOf('table td th') }

/** For the start tag of an element: which open elements it closes, although they have no end tag. */
const impliedBy: ReadonlyMap<string, Implied> = new Map([
  ...[...closesParagraph].map((name): [string, Implied] => [name, paragraph]),
  ['td', cell],
  ['th', cell],
  ['tr', row],
  ['thead', group],
  ['tbody', group],
  ['tfoot', group],
  ['li', item],
  ['dt', term],
  ['dd', term],
  ['option', option],
  ['a', link],
])

// How many open elements are searched for those that a new element closes. Without a limit, deep nesting would take
// quadratic time.
const maxLookDown = 32

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}
