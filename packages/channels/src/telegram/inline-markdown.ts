import type { Token } from 'markdown-it'

/** A line in both its forms: as it is sent, in MarkdownV2, and as it is seen. */
export interface Line {
  readonly markdown: string
  readonly text: string
  /** A preformatted block. It counts as one line, because nothing may be put before the lines in it. */
  readonly isPre?: boolean
}

export interface InlineOptions {
  readonly isBold?: boolean
  /** Whether addresses are written out, for places that cannot have links. */
  readonly areLinksSpelledOut?: boolean
}

interface Mark {
  readonly open: string
  readonly close: string
}

/** Text with everything that is around it, outermost first. */
interface Run {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** What stands in a paragraph, a heading or a cell. */
export function inlineLines(tokens: readonly Token[], options: InlineOptions = {}): Line[] {
  const runs = new RunWriter(options)
  for (const token of tokens) runs.write(token)
  return runs.lines.map(lineOf)
}

export function plainLine(text: string): Line {
  return { markdown: escapeText(text), text }
}

export function escapeText(text: string): string {
  return text.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&')
}

export function escapeCode(code: string): string {
  return code.replaceAll(/[`\\]/g, '\\$&')
}

const bold = { open: '*', close: '*' } as const
const italic = { open: '_', close: '_' } as const
const strikethrough = { open: '~', close: '~' } as const
const code = { open: '`', close: '`' } as const

class RunWriter {
  /** The lines so far; no run goes over the end of one. */
  readonly lines: Run[][] = [[]]
  readonly #areLinksSpelledOut: boolean
  readonly #depths = { strong: 0, em: 0, s: 0 }
  #link: { readonly href: string; readonly isClickable: boolean; text: string } | undefined

  constructor({ isBold = false, areLinksSpelledOut = false }: InlineOptions) {
    this.#areLinksSpelledOut = areLinksSpelledOut
    this.#depths.strong = isBold ? 1 : 0
  }

  write(token: Token): void {
    switch (token.type) {
      case 'softbreak':
      case 'hardbreak':
        this.lines.push([])
        return
      case 'strong_open':
      case 'strong_close':
        this.#depths.strong += token.nesting
        return
      case 'em_open':
      case 'em_close':
        this.#depths.em += token.nesting
        return
      case 's_open':
      case 's_close':
        this.#depths.s += token.nesting
        return
      case 'link_open':
        // Telegram makes a link of a bare address by itself.
        if (token.markup !== 'autolink') this.#openLink(String(token.attrGet('href') ?? ''))
        return
      case 'link_close':
        this.#closeLink()
        return
      case 'image':
        this.#image(String(token.attrGet('src') ?? ''), token.content)
        return
      case 'code_inline':
        // Code can be in no other entity. A link is worth more than how it looks.
        this.#push(token.content, this.#link?.isClickable === true ? this.#marks() : [code])
        return
      default:
        this.#push(token.content, this.#marks())
    }
  }

  #openLink(href: string): void {
    this.#link = { href, isClickable: !this.#areLinksSpelledOut && isLinkable(href), text: '' }
  }

  #closeLink(): void {
    const link = this.#link
    if (link === undefined) return
    if (link.text === '') this.#push(link.href, this.#marks())
    this.#link = undefined
    // What cannot be clicked is said, so that it is not lost.
    if (!link.isClickable && link.text !== '' && link.text !== link.href) {
      this.#push(` (${link.href})`, this.#marks())
    }
  }

  // As a link and not as a picture: Telegram would have to load it, and so tell its server that it was sent.
  #image(src: string, description: string): void {
    if (this.#link !== undefined) return this.#push(description || src, this.#marks())
    this.#openLink(src)
    this.#push(description, this.#marks())
    this.#closeLink()
  }

  #push(text: string, marks: readonly Mark[]): void {
    if (text === '') return
    this.lines.at(-1)?.push({ text, marks })
    if (this.#link !== undefined) this.#link.text += text
  }

  /** Always in the same order, so that two italics never meet: `__` would begin an underline. */
  #marks(): Mark[] {
    const { strong, em, s } = this.#depths
    const link = this.#link?.isClickable === true ? [linkTo(this.#link.href)] : []
    return [
      ...link,
      ...(strong > 0 ? [bold] : []),
      ...(em > 0 ? [italic] : []),
      ...(s > 0 ? [strikethrough] : []),
    ]
  }
}

/** Telegram makes links of these only; of the others it would show the text and forget the address. */
function isLinkable(href: string): boolean {
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return false
  return new URL(href).hostname.includes('.')
}

function linkTo(href: string): Mark {
  return { open: '[', close: `](${href.replaceAll(/[)\\]/g, '\\$&')})` }
}

function lineOf(runs: readonly Run[]): Line {
  let markdown = ''
  let open: readonly Mark[] = []
  for (const { text, marks } of runs) {
    markdown += marksBetween(open, marks)
    markdown += marks.includes(code) ? escapeCode(text) : escapeText(text)
    open = marks
  }
  return { markdown: markdown + marksBetween(open, []), text: runs.map(({ text }) => text).join('') }
}

function marksBetween(before: readonly Mark[], after: readonly Mark[]): string {
  const different = after.findIndex((mark, index) => mark.close !== before[index]?.close)
  const kept = different === -1 ? Math.min(before.length, after.length) : different
  const closing = before.slice(kept).toReversed()
  return [...closing.map(mark => mark.close), ...after.slice(kept).map(mark => mark.open)].join('')
}
