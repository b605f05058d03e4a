import type { Token } from 'markdown-it'

/** A line in two forms: in MarkdownV2 as it is sent, and as people see it. */
export interface Line {
  readonly markdown: string
  readonly text: string
  /** True for a preformatted block. It counts as one line, because nothing may stand in front of the lines in it. */
  readonly isPre?: boolean
}

export interface InlineOptions {
  readonly isBold?: boolean
  /** Whether addresses are written out, because a link is not possible here. */
  readonly areLinksSpelledOut?: boolean
}

interface Mark {
  readonly open: string
  readonly close: string
}

/** Text with the markup around it, outermost first. */
interface Run {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** Turns the content of a paragraph, a heading or a table cell into lines. */
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
  /** The lines so far. No run of text continues on the next line. */
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
        // Telegram turns a bare address into a link by itself.
        if (token.markup !== 'autolink') this.#openLink(String(token.attrGet('href') ?? ''))
        return
      case 'link_close':
        this.#closeLink()
        return
      case 'image':
        this.#image(String(token.attrGet('src') ?? ''), token.content)
        return
      case 'code_inline':
        // In Telegram code cannot be inside a link. The link matters more than the look.
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
    // An address that cannot be a link is written out, so that it is not lost.
    if (!link.isClickable && link.text !== '' && link.text !== link.href) {
      this.#push(` (${link.href})`, this.#marks())
    }
  }

  // A picture becomes a link. If Telegram loaded it, the picture's server would learn that it was sent.
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

  /** The order is always the same, so that two italics never meet: `__` would begin an underline. */
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

/** Whether Telegram makes a link of an address. Of other addresses it would show only the text. */
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
