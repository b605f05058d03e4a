import { shorten } from '@throughline/protocol/internal'
import type { HtmlEvent } from './tag-balance.ts'
import { TextWriter } from './text-writer.ts'

/** The title of a page, and its text as Markdown. Both may be empty. */
export type PageText = { readonly title: string; readonly text: string }

const maxLinkLength = 500
const maxTitleLength = 300

const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer ' +
    'form header hgroup hr html legend optgroup option p section summary'
  ).split(' '),
)

const headings: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

type List = { readonly isOrdered: boolean; next: number }
/** An open table. `cells` counts the cells of its current row so far; it is undefined between rows. */
type Table = { cells: number | undefined }

/** Turns the elements of a page into Markdown. Call `read` with every event in order, then `finish`. */
export class PageReader {
  readonly #writer = new TextWriter()
  readonly #lists: List[] = []
  readonly #tables: Table[] = []
  #baseUrl: string
  #hasBase = false
  #title = ''
  #isInTitle = false
  #description = ''

  /** `url` is the URL of the page. Relative links are resolved against it. */
  constructor(url: string) {
    this.#baseUrl = url
  }

  read(event: HtmlEvent): void {
    if (event.type === 'enter') this.#enter(event.name, event.attributes)
    else if (event.type === 'leave') this.#leave(event.name)
    else if (this.#isInTitle) this.#title ||= event.text.replace(/\s+/g, ' ').trim()
    else this.#writer.addText(event.text)
  }

  /**
   * Returns the title and the text. A page without a title has its first heading as the title. A page without text has
   * its description (`<meta name="description">`) as the text.
   */
  finish(): PageText {
    const text = this.#writer.finish()
    return {
      title: shorten(this.#title === '' ? firstHeading(text) : this.#title, maxTitleLength, ''),
      text: text === '' ? this.#description : text,
    }
  }

  #enter(name: string, attributes: ReadonlyMap<string, string>): void {
    const writer = this.#writer
    if (blocks.has(name)) return this.#boundary()
    if (headings.has(name)) {
      writer.endBlock()
      return writer.mark(`${'#'.repeat(Number(name[1]))} `)
    }
    switch (name) {
      case 'main':
        return writer.startMain()
      case 'pre':
        return writer.startVerbatim()
      case 'br':
        return this.#isInCell() ? writer.addText(' ') : writer.addLineBreak()
      case 'ul':
      case 'ol':
        writer.endBlock({ isTight: this.#lists.length > 0 })
        this.#lists.push({ isOrdered: name === 'ol', next: startOf(attributes.get('start')) })
        return
      case 'li':
        writer.endBlock({ isTight: true })
        return writer.mark(this.#itemMarker())
      case 'table':
      case 'tr':
      case 'td':
      case 'th':
        return this.#enterTable(name)
      case 'a':
        return this.#enterLink(attributes.get('href') ?? '')
      case 'img':
        // The alternative text of an image is shown only if the image is a link: often it is the link's only text.
        return writer.isInLink ? writer.addText(` ${attributes.get('alt') ?? ''} `) : undefined
      case 'title':
        this.#isInTitle = true
        return
      case 'base':
      case 'meta':
        return this.#readHead(name, attributes)
    }
  }

  #leave(name: string): void {
    const writer = this.#writer
    if (blocks.has(name)) return this.#boundary()
    if (headings.has(name)) {
      writer.endBlock()
      return writer.clearMarker()
    }
    switch (name) {
      case 'main':
        return writer.endMain()
      case 'pre':
        return writer.endVerbatim()
      case 'ul':
      case 'ol':
        writer.endBlock({ isTight: true })
        this.#lists.pop()
        return
      case 'li':
        writer.endBlock({ isTight: true })
        return writer.clearMarker()
      case 'tr':
      case 'table':
        return this.#leaveTable(name)
      case 'a':
        return writer.endLink()
      case 'title':
        this.#isInTitle = false
        return
    }
  }

  // A row is one line. So inside a cell, a paragraph ends with a space and not with a line break.
  #boundary(): void {
    if (this.#isInCell()) this.#writer.addText(' ')
    else this.#writer.endBlock({ isTight: this.#lists.length > 0 })
  }

  #isInCell(): boolean {
    return (this.#tables.at(-1)?.cells ?? 0) > 0
  }

  #itemMarker(): string {
    const list = this.#lists.at(-1)
    const indent = '  '.repeat(Math.min(Math.max(this.#lists.length - 1, 0), 6))
    if (list?.isOrdered !== true) return `${indent}- `
    list.next += 1
    return `${indent}${list.next - 1}. `
  }

  #enterTable(name: 'table' | 'tr' | 'td' | 'th'): void {
    if (name === 'table') {
      this.#writer.endBlock({ isTight: this.#isInCell() })
      this.#tables.push({ cells: undefined })
      return
    }
    const table = this.#tables.at(-1)
    if (table === undefined) return this.#writer.endBlock()
    if (name === 'tr') {
      this.#writer.endBlock({ isTight: true })
      table.cells = 0
      return
    }
    if ((table.cells ?? 0) > 0) this.#writer.addText(' | ')
    table.cells = (table.cells ?? 0) + 1
  }

  #leaveTable(name: 'table' | 'tr'): void {
    this.#writer.endBlock({ isTight: true })
    const table = this.#tables.at(-1)
    if (table === undefined) return
    table.cells = undefined
    if (name === 'table') this.#tables.pop()
  }

  #enterLink(href: string): void {
    const url = href.startsWith('#') ? null : URL.parse(href, this.#baseUrl)
    const isShown = url?.protocol === 'http:' || url?.protocol === 'https:' || url?.protocol === 'mailto:'
    if (href === '' || !isShown || url.href.length > maxLinkLength) return
    this.#writer.startLink(url.href.replace(/[()]/g, each => (each === '(' ? '%28' : '%29')))
  }

  #readHead(name: 'base' | 'meta', attributes: ReadonlyMap<string, string>): void {
    if (name === 'base' && !this.#hasBase) {
      const base = URL.parse(attributes.get('href') ?? '', this.#baseUrl)
      this.#hasBase = base !== null
      this.#baseUrl = base?.href ?? this.#baseUrl
    }
    if (name === 'meta' && attributes.get('name')?.toLowerCase() === 'description') {
      this.#description ||= attributes.get('content')?.trim() ?? ''
    }
  }
}

function startOf(start: string | undefined): number {
  return start !== undefined && /^\d{1,6}$/.test(start) ? Number(start) : 1
}

function firstHeading(text: string): string {
  return /^#{1,6} (.*)$/m.exec(text)?.[1] ?? ''
}
