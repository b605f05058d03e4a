/**
 * Collects the text of a page as blocks of Markdown. The pieces of a block are joined once, at its end: joining them
 * earlier would take quadratic time.
 */
export class TextWriter {
  readonly #blocks: Block[] = []
  #pieces: string[] = []
  #marker = ''
  #link: { readonly url: string; readonly from: number } | undefined
  #isVerbatim = false
  #mainDepth = 0

  get isInLink(): boolean {
    return this.#link !== undefined
  }

  /** Adds text to the current block. White space becomes one space, as in HTML, except in verbatim text. */
  addText(text: string): void {
    this.#pieces.push(this.#isVerbatim ? text : text.replace(/[ \t\n\f\r]+/g, ' '))
  }

  addLineBreak(): void {
    this.#pieces.push('\n')
  }

  /** Adds a marker in front of the next block, such as "- " or "## ". A block may have several. */
  mark(marker: string): void {
    this.#marker += marker
  }

  /** Starts a link, and ends the one that is open: links do not nest. Verbatim text has no links. */
  startLink(url: string): void {
    this.endLink()
    if (!this.#isVerbatim) this.#link = { url, from: this.#pieces.length }
  }

  endLink(): void {
    if (this.#link === undefined) return
    const { url, from } = this.#link
    this.#link = undefined
    const label = this.#pieces.splice(from).join('')
    const shown = label.replace(/\s+/g, ' ').trim()
    if (shown === '') this.#pieces.push(label)
    else
      this.#pieces.push(
        label.startsWith(' ') ? ' ' : '',
        `[${shown}](${url})`,
        label.endsWith(' ') ? ' ' : '',
      )
  }

  /** Starts preformatted text, which keeps its white space and becomes a code block. */
  startVerbatim(): void {
    this.endBlock()
    this.#isVerbatim = true
  }

  endVerbatim(): void {
    const code = this.#pieces
      .join('')
      .replace(/^\r?\n/, '')
      .trimEnd()
    this.#pieces = []
    this.#isVerbatim = false
    if (code !== '') this.#addBlock(`\`\`\`\n${code}\n\`\`\``, false)
  }

  /** Starts the main part of the page. `finish` prefers it. */
  startMain(): void {
    this.endBlock()
    this.#mainDepth += 1
  }

  endMain(): void {
    this.endBlock()
    this.#mainDepth -= 1
  }

  /** Ends the current block. Between two tight blocks, such as list items or table rows, there is no empty line. */
  endBlock({ isTight = false }: { readonly isTight?: boolean } = {}): void {
    if (this.#isVerbatim) return this.addLineBreak()
    // A link may contain several blocks. It is written in the first of them that has text.
    const link = this.#link
    if (link !== undefined && this.#pieces.slice(link.from).join('').trim() !== '') this.endLink()
    const text = this.#pieces
      .join('')
      .replace(/ +/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    this.#pieces = []
    if (this.#link !== undefined) this.#link = { url: this.#link.url, from: 0 }
    if (/[^\s|]/.test(text)) this.#addBlock(text, isTight)
  }

  /** Removes the markers of a block that turned out to be empty. */
  clearMarker(): void {
    this.#marker = ''
  }

  /** Returns the text: only the main part if it is long enough to be the content, and everything otherwise. */
  finish(): string {
    this.endLink()
    this.endBlock()
    const main = this.#blocks.filter(block => block.isMain)
    const mainLength = main.reduce((sum, block) => sum + block.text.length, 0)
    return join(mainLength >= minMainLength ? main : this.#blocks)
  }

  #addBlock(text: string, isTight: boolean): void {
    this.#blocks.push({ text: this.#marker + text, isTight, isMain: this.#mainDepth > 0 })
    this.#marker = ''
  }
}

type Block = { readonly text: string; readonly isTight: boolean; readonly isMain: boolean }

/** In characters. A shorter main part may be empty until scripts fill it. */
const minMainLength = 300

function join(blocks: readonly Block[]): string {
  const pieces: string[] = []
  let wasTight = false
  for (const { text, isTight } of blocks) {
    if (pieces.length > 0) pieces.push(isTight && wasTight ? '\n' : '\n\n')
    pieces.push(text)
    wasTight = isTight
  }
  return pieces.join('')
}
