/**
 * Collects the text of a page as blocks of Markdown. Text is added piece by piece and put together once per block, so
 * that the time stays linear.
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

  /** Text as HTML means it: any white space is one space, except in verbatim text. */
  addText(text: string): void {
    this.#pieces.push(this.#isVerbatim ? text : text.replace(/[ \t\n\f\r]+/g, ' '))
  }

  addLineBreak(): void {
    this.#pieces.push('\n')
  }

  /** Goes before the next block, after what was marked already: "- " and then "## ". */
  mark(marker: string): void {
    this.#marker += marker
  }

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

  startMain(): void {
    this.endBlock()
    this.#mainDepth += 1
  }

  endMain(): void {
    this.endBlock()
    this.#mainDepth -= 1
  }

  /** Ends a paragraph. What is tight (list items, rows) follows what is tight without an empty line. */
  endBlock({ isTight = false }: { readonly isTight?: boolean } = {}): void {
    if (this.#isVerbatim) return this.addLineBreak()
    // A link around several blocks is shown at the first of them that has words.
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

  clearMarker(): void {
    this.#marker = ''
  }

  /** Everything, or only the main part of the page when it has one of some length. */
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
